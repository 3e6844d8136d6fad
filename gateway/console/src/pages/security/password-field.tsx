import { Field } from '../../parts/field.tsx';

const MIN_PASSWORD_LENGTH = 12;

interface PasswordFieldProps {
  readonly label: string;
  readonly isNew?: boolean;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onInput: (value: string) => void;
}

export function PasswordField({ label, isNew = false, value, problem, onInput }: PasswordFieldProps) {
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
          required
          minLength={isNew ? MIN_PASSWORD_LENGTH : 1}
          maxLength={isNew ? 128 : 1_024}
          autocomplete={isNew ? 'new-password' : 'current-password'}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
