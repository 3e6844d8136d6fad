import { Field } from '../field.tsx';

const MIN_PASSWORD_LENGTH = 12;

interface PasswordFieldProps {
  readonly label?: string;
  readonly name?: string;
  readonly isNew?: boolean;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onInput: (value: string) => void;
}

/** It has no greatest length: a browser would cut what is pasted without a word. */
export function PasswordField({
  label = 'Password',
  name,
  isNew = false,
  value,
  problem,
  onInput,
}: PasswordFieldProps) {
  return (
    <Field
      label={label}
      hint={isNew ? `At least ${MIN_PASSWORD_LENGTH} characters.` : undefined}
      problem={problem}
    >
      {(ids) => (
        <input
          {...ids}
          type="password"
          name={name}
          required
          minLength={isNew ? MIN_PASSWORD_LENGTH : 1}
          autocomplete={isNew ? 'new-password' : 'current-password'}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
