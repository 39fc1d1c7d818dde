/** The parameters that a tool declares, as a form behind one button. Written to the address when changed. */
import type { ToolParam } from "../result";
import { Icon } from "./Icon";
import { usePopover } from "./usePopover";

interface Props {
  declared: ToolParam[];
  values: Readonly<Record<string, string>>;
  onChange: (changes: Record<string, string | null>) => void;
  /** Why a parameter has no effect now, by its name. */
  idle?: Readonly<Record<string, string>>;
}

const NONE: Readonly<Record<string, string>> = {};

export function Options({ declared, values, onChange, idle = NONE }: Props) {
  const { open, setOpen, anchor } = usePopover();
  const changed = declared.filter((param) => param.name in values);
  if (declared.length === 0) return null;
  return (
    <div class="anchor" ref={anchor}>
      <button class="button small" aria-expanded={open} onClick={() => setOpen(!open)}>
        Options{changed.length > 0 && ` (${changed.length} changed)`}
        <Icon name="chevron" />
      </button>
      {open && (
        <div class="popover options">
          {declared.map((param) => (
            <Field
              key={param.name}
              param={param}
              value={values[param.name] ?? String(param.default ?? "")}
              idle={idle[param.name]}
              onChange={(value) =>
                onChange({ [param.name]: value === String(param.default ?? "") ? null : value })
              }
            />
          ))}
          {changed.length > 0 && (
            <button
              class="button small"
              onClick={() => onChange(Object.fromEntries(changed.map((param) => [param.name, null])))}
            >
              <Icon name="reset" /> Back to the defaults
            </button>
          )}
        </div>
      )}
    </div>
  );
}

interface FieldProps {
  param: ToolParam;
  value: string;
  /** Why it has no effect now. */
  idle: string | undefined;
  onChange: (value: string) => void;
}

function Field(props: FieldProps) {
  const { param, idle } = props;
  const title = capitalised(param.name.replaceAll("_", " "));
  return (
    <label class="option-field">
      <span>{title}</span>
      <Control {...props} />
      {param.help && <small class="muted">{capitalised(param.help)}</small>}
      {idle && <small>{idle}</small>}
    </label>
  );
}

function Control({ param, value, idle, onChange }: FieldProps) {
  const disabled = idle !== undefined;
  if (param.type === "bool") {
    const on = value.toLowerCase() === "true" || value === "1";
    return (
      <input
        type="checkbox"
        checked={on}
        disabled={disabled}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    );
  }
  if (param.choices.length > 0) {
    return (
      <select
        class="field"
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {param.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  const numeric = param.type === "int" || param.type === "float";
  return (
    <input
      class="field"
      type={numeric ? "number" : "text"}
      step={param.type === "float" ? "any" : undefined}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
