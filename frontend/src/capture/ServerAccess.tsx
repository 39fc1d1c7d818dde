/** How to get into a profiler server that asks for a token or encrypts. */
import { Field, TextField } from "./Field";

interface Props {
  token: string;
  /** "true", or nothing. */
  tls: string;
  onToken: (token: string) => void;
  onTls: (tls: string) => void;
}

export function ServerAccess({ token, tls, onToken, onTls }: Props) {
  return (
    <div class="capture-row">
      <TextField
        label="Token of the profiler server"
        type="password"
        help="If it was started with one; not stored. PROFILER_TOKEN of this server if empty"
        value={token}
        onChange={onToken}
      />
      <Field label="Encrypted (TLS)" help="Trusts PROFILER_ROOT_CERTIFICATE of this server, or its system">
        {(attributes) => (
          <input
            {...attributes}
            type="checkbox"
            checked={tls === "true"}
            onChange={(event) => onTls(event.currentTarget.checked ? "true" : "")}
          />
        )}
      </Field>
    </div>
  );
}
