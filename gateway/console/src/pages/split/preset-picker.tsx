import type { OutputFormat } from '@audiosplit/proto/vocabulary';
import { useState } from 'preact/hooks';
import { api, type PresetList } from '../../api/client.ts';
import type { Cut, SplitRequest } from '../../audio/cut.ts';
import { fieldsOf } from '../../audio/fields-of-cut.ts';
import { type SplitFields, toBody } from '../../audio/split-fields.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Field } from '../../parts/field.tsx';
import { Icon } from '../../parts/icons.tsx';
import { announce } from '../../state/announce.ts';
import { useQuery } from '../../state/query.ts';

interface PresetPickerProps {
  /** Undefined if something in the form is wrong or missing. */
  readonly request: SplitRequest | undefined;
  readonly onChange: (text: SplitFields) => void;
}

type Asking = 'save' | 'remove' | undefined;
type Preset = Pick<PresetList['data'][number], 'id' | 'name' | 'request'>;

/** Fills the form by a preset; shows which one it says as it is. */
export function PresetPicker({ request, onChange }: PresetPickerProps) {
  const { data, reload } = useQuery('presets', () => api.presets.list.query());
  const [asking, setAsking] = useState<Asking>();
  const own: readonly Preset[] = data?.data ?? [];
  const all: readonly Preset[] = [...own, ...(data?.builtIn ?? [])];
  const now = request && sorted(toBody(request));
  const chosen = all.find((each) => sorted(each.request) === now);
  const isOwn = chosen !== undefined && own.includes(chosen);
  const choose = (id: string) => {
    const preset = all.find((each) => each.id === id);
    if (preset === undefined) return;
    const { outputFormat, ...cut } = preset.request as Cut & { readonly outputFormat?: OutputFormat };
    onChange(fieldsOf(cut, outputFormat));
  };
  return (
    <div class="preset-picker">
      <Field label="Preset">
        {(ids) => (
          <select {...ids} value={chosen?.id ?? ''} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">{chosen === undefined ? 'Custom' : 'None'}</option>
            <PresetGroup label="Yours" presets={own} />
            <PresetGroup label="Built in" presets={data?.builtIn ?? []} />
          </select>
        )}
      </Field>
      {isOwn && (
        <button
          type="button"
          class="button button-icon"
          aria-label={`Delete the preset ${chosen.name}`}
          title="Delete the preset"
          onClick={() => setAsking('remove')}
        >
          <Icon name="trash" size={16} />
        </button>
      )}
      {chosen === undefined && (
        <button
          type="button"
          class="button"
          // As "false" it would contradict the fieldset, which is disabled while a file is sent.
          aria-disabled={request === undefined || undefined}
          onClick={() => request !== undefined && setAsking('save')}
        >
          Save as preset
        </button>
      )}
      {asking === 'save' && request !== undefined && (
        <SaveDialog
          request={request}
          names={own.map(({ name }) => name)}
          onClose={() => setAsking(undefined)}
          onSaved={(name) => {
            setAsking(undefined);
            announce(`${name} is saved.`);
            reload();
          }}
        />
      )}
      {asking === 'remove' && chosen !== undefined && (
        <Confirm
          title={`Delete the preset ${chosen.name}?`}
          action="Delete"
          isDangerous
          onClose={() => setAsking(undefined)}
          onConfirm={async () => {
            await api.presets.remove.mutate({ presetId: chosen.id });
            setAsking(undefined);
            announce('The preset is deleted.');
            reload();
          }}
        >
          <p>The settings stay in the form. Jobs that used it stay as they are.</p>
        </Confirm>
      )}
    </div>
  );
}

function PresetGroup({ label, presets }: { readonly label: string; readonly presets: readonly Preset[] }) {
  if (presets.length === 0) return null;
  return (
    <optgroup label={label}>
      {presets.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}

interface SaveDialogProps {
  readonly request: SplitRequest;
  /** Of the presets that there are. */
  readonly names: readonly string[];
  readonly onClose: () => void;
  readonly onSaved: (name: string) => void;
}

const MAX_NAME_LENGTH = 255;

function SaveDialog({ request, names, onClose, onSaved }: SaveDialogProps) {
  const [name, setName] = useState('');
  const isThere = names.includes(name.trim());
  return (
    <Confirm
      title="Save as preset"
      action={isThere ? 'Replace' : 'Save'}
      isReady={name.trim() !== ''}
      onClose={onClose}
      onConfirm={async () => {
        const saved = await api.presets.save.mutate({ name: name.trim(), request: toBody(request) });
        onSaved(saved.name);
      }}
    >
      <Field
        label="Name"
        hint={isThere ? 'A preset of this name exists. It gets these settings.' : 'As in Interviews.'}
      >
        {(ids) => (
          <input
            {...ids}
            type="text"
            autocomplete="off"
            maxLength={MAX_NAME_LENGTH}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
    </Confirm>
  );
}

/** Whatever the order of the members. */
function sorted(request: object): string {
  return JSON.stringify(request, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
