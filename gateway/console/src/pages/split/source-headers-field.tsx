import { Field } from '../../parts/field.tsx';

interface SourceHeadersFieldProps {
  readonly text: string;
  readonly problem: string | undefined;
  readonly isDisabled: boolean;
  readonly onChange: (text: string) => void;
}

/** For a link that wants credentials. */
export function SourceHeadersField({ text, problem, isDisabled, onChange }: SourceHeadersFieldProps) {
  return (
    <details class="more" open={text !== ''}>
      <summary>The link needs credentials</summary>
      <div class="source-headers">
        <Field
          label="Headers for the source"
          hint="One per line. They are sent to this link only, and kept encrypted until the job ends."
          problem={problem}
        >
          {(ids) => (
            <textarea
              {...ids}
              rows={2}
              autocomplete="off"
              spellcheck={false}
              placeholder="Authorization: Bearer …"
              value={text}
              disabled={isDisabled}
              onInput={(event) => onChange(event.currentTarget.value)}
            />
          )}
        </Field>
      </div>
    </details>
  );
}
