/** The limits of speech-to-text services as values, for a client that depends on no other package. */
import { cutForSpeech, SPEECH_SERVICE_IDS } from '@audiosplit/cuts/speech-services';

export function renderSpeechCuts(): string {
  const cuts = Object.fromEntries(SPEECH_SERVICE_IDS.map((id) => [id, cutForSpeech(id)]));
  return `
/** What a speech-to-text service takes, cut at silences: \`createSplit({ sourceUrl, ...SPEECH_CUTS.openai })\`. */
export const SPEECH_CUTS = ${JSON.stringify(cuts, null, 2)} as const;
`;
}
