import { Field } from '../field.tsx';

interface CodeFieldProps {
  readonly label?: string;
  readonly hint?: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onInput: (value: string) => void;
}

/** Of an authenticator app, or a recovery code. */
export function CodeField({
  label = 'Code',
  hint = 'Six digits from your authenticator app, or a recovery code.',
  value,
  problem,
  onInput,
}: CodeFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => (
        <input
          {...ids}
          type="text"
          required
          minLength={6}
          maxLength={64}
          autocomplete="one-time-code"
          autocapitalize="characters"
          spellcheck={false}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
