import { Field } from '../field.tsx';

interface EmailFieldProps {
  readonly label?: string;
  readonly hint?: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onInput: (value: string) => void;
}

export function EmailField({ label = 'Email', hint, value, problem, onInput }: EmailFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => (
        <input
          {...ids}
          type="email"
          name="email"
          required
          autocomplete="email"
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
