/** The parameters that a tool declares, as a form behind one button. Written to the address when changed. */
import type { ToolParam } from "../result";
import { Icon } from "./Icon";
import { usePopover } from "./usePopover";

interface Props {
  declared: ToolParam[];
  values: Readonly<Record<string, string>>;
  onChange: (changes: Record<string, string | null>) => void;
}

export function Options({ declared, values, onChange }: Props) {
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
  onChange: (value: string) => void;
}

function Field({ param, value, onChange }: FieldProps) {
  const title = capitalised(param.name.replaceAll("_", " "));
  return (
    <label class="option-field">
      <span>{title}</span>
      <Control param={param} value={value} onChange={onChange} />
      {param.help && <small class="muted">{capitalised(param.help)}</small>}
    </label>
  );
}

function Control({ param, value, onChange }: FieldProps) {
  if (param.type === "bool") {
    const on = value.toLowerCase() === "true" || value === "1";
    return (
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    );
  }
  if (param.choices.length > 0) {
    return (
      <select class="field" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
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
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
