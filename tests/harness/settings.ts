/** The environment variables of each process, for suites that read them. */
export { OWN_SETTINGS_OF, settingsOf } from '../../deploy/embedded/settings.ts';
