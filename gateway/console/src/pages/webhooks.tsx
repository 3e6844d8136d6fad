import { useState } from 'preact/hooks';
import { Curl } from '../parts/curl.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { Deliveries } from './webhooks/deliveries.tsx';
import { EndpointPanel } from './webhooks/endpoint-panel.tsx';
import { SigningSecret } from './webhooks/signing-secret.tsx';

const EXAMPLE = {
  sourceUrl: 'https://example.com/talk.mp3',
  splitMode: 'duration',
  segmentDuration: 300,
  webhookUrl: 'https://example.com/hooks/audio',
};

export function WebhooksPage() {
  const [version, setVersion] = useState(0);
  return (
    <Page
      title="Webhooks"
      lead="Your program is notified when a job starts, ends or fails, and when an export is ready."
    >
      <EndpointPanel onTested={() => setVersion(version + 1)} />
      <Panel
        title="Address of a job"
        lead={
          <>
            A job or an export may name one of its own, as <code class="code-tag">webhookUrl</code>. What is
            not taken is sent again, eight times over about a day; a test event is sent once.
          </>
        }
      >
        <Curl
          label="A job with its own webhook, with curl"
          calls={[{ method: 'POST', path: '/api/v1/splits', credential: 'key', body: EXAMPLE }]}
        />
      </Panel>
      <SigningSecret />
      <Deliveries version={version} />
    </Page>
  );
}
