import { useState } from 'preact/hooks';
import { api, type BillingInfo } from '../../api/client.ts';
import { Curl } from '../../parts/curl.tsx';
import { SettingForm } from '../../parts/entry/setting-form.tsx';
import { Field } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';

interface ProfilePanelProps {
  readonly profile: BillingInfo['profile'];
  readonly onSaved: (message: string) => void;
}

export function ProfilePanel({ profile, onSaved }: ProfilePanelProps) {
  const [companyName, setCompanyName] = useState(profile.companyName ?? '');
  const [taxId, setTaxId] = useState(profile.taxId ?? '');
  const next = { companyName: companyName.trim() || null, taxId: taxId.trim() || null };
  const save = async () => {
    await api.billing.setProfile.mutate(next);
    onSaved('The next invoice names it.');
  };
  return (
    <Panel
      title="Billed to"
      lead="Shown on your invoices from now on, beside your name and address. Earlier invoices stay as they are."
    >
      <SettingForm action="Save" onSave={save}>
        {(problemOf) => (
          <>
            <Field label="Company" problem={problemOf('companyName')}>
              {(ids) => (
                <input
                  {...ids}
                  maxLength={255}
                  autocomplete="organization"
                  value={companyName}
                  onInput={(event) => setCompanyName(event.currentTarget.value)}
                />
              )}
            </Field>
            <Field label="Tax id" hint="Such as a VAT number." problem={problemOf('taxId')}>
              {(ids) => (
                <input
                  {...ids}
                  maxLength={64}
                  autocomplete="off"
                  spellcheck={false}
                  value={taxId}
                  onInput={(event) => setTaxId(event.currentTarget.value)}
                />
              )}
            </Field>
          </>
        )}
      </SettingForm>
      <Curl calls={[{ method: 'PUT', path: '/api/v1/billing/profile', credential: 'token', body: next }]} />
    </Panel>
  );
}
