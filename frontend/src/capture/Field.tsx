/** One field of the dialog, with its unit, help and what is wrong with it. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  label: string;
  help?: string;
  problem?: string | undefined;
  unit?: string;
  children: (attributes: {
    id: string;
    "aria-describedby": string;
    "aria-invalid": boolean;
  }) => ComponentChildren;
}

export function Field({ label, help, problem, unit, children }: FieldProps) {
  const id = useId();
  return (
    <div class={problem ? "capture-field invalid" : "capture-field"}>
      <label for={id}>{label}</label>
      <span class="capture-input">
        {children({ id, "aria-describedby": `${id}-about`, "aria-invalid": Boolean(problem) })}
        {unit && <span class="muted">{unit}</span>}
      </span>
      <small id={`${id}-about`} class={problem ? "capture-problem" : "muted"}>
        {problem || help}
      </small>
    </div>
  );
}

interface TextProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  help?: string;
  problem?: string | undefined;
  unit?: string;
  placeholder?: string;
  type?: "text" | "number" | "password";
}

export function TextField({
  label,
  value,
  onChange,
  help,
  problem,
  unit,
  placeholder,
  type = "text",
}: TextProps) {
  return (
    <Field label={label} {...(help ? { help } : {})} problem={problem} {...(unit ? { unit } : {})}>
      {(attributes) => (
        <input
          {...attributes}
          class="field"
          type={type === "number" ? "text" : type}
          inputMode={type === "number" ? "numeric" : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  choices: string[];
  help?: string;
}

/** A level: the index of the choice. */
export function LevelField({ label, value, onChange, choices, help }: ChoiceProps) {
  return (
    <Field label={label} {...(help ? { help } : {})}>
      {(attributes) => (
        <select
          {...attributes}
          class="field"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {choices.map((choice, level) => (
            <option key={choice} value={String(level)}>
              {level} – {choice}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
