import type { SourceContainer } from '../formats/formats.ts';

/**
 * ffmpeg's demuxer for each container that the sniffer recognises. It is always named; ffmpeg never guesses.
 */
export const DEMUXERS: Readonly<Record<SourceContainer, string>> = {
  mp3: 'mp3',
  mp2: 'mp3',
  wav: 'wav',
  'uncommon-wav': 'wav',
  w64: 'w64',
  flac: 'flac',
  ogg: 'ogg',
  mp4: 'mov',
  adts: 'aac',
  matroska: 'matroska',
  aiff: 'aiff',
  asf: 'asf',
  amr: 'amr',
  ac3: 'ac3',
  eac3: 'eac3',
  caf: 'caf',
  wavpack: 'wv',
  'uncommon-wavpack': 'wv',
  ape: 'ape',
  musepack7: 'mpc',
  musepack8: 'mpc8',
  dsf: 'dsf',
  dff: 'iff',
  mpegts: 'mpegts',
  mpegps: 'mpeg',
  flv: 'flv',
  avi: 'avi',
  au: 'au',
  tta: 'tta',
};

/**
 * Containers that are read from a file instead of a pipe, because their index may be at the end. None of
 * these demuxers opens anything except its input.
 */
export const SEEKING_CONTAINERS: ReadonlySet<SourceContainer> = new Set([
  'mp4',
  'caf',
  'aiff',
  'uncommon-wav',
  'uncommon-wavpack',
  'ape',
  'musepack7',
  'musepack8',
  'dsf',
  'dff',
]);

/** Audio decoders that may be opened. No video decoder is in the list, so no picture is ever parsed. */
export const DECODERS = [
  'mp3float,mp3,mp2float,mp2,mp1float,mp1',
  'aac,aac_latm,alac,flac,vorbis,opus,libopus,speex,libspeex',
  'wmav1,wmav2,wmapro,wmalossless,wmavoice',
  'amrnb,amrwb,libopencore_amrnb,libopencore_amrwb,ac3,eac3,dca,mlp,truehd,wavpack,tta,nellymoser',
  'ape,mpc7,mpc8,dsd_lsbf,dsd_lsbf_planar,dsd_msbf,dsd_msbf_planar,dst',
  'pcm_u8,pcm_s8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be',
  'pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_alaw,pcm_mulaw,pcm_dvd,pcm_bluray,pcm_u16le,pcm_u24le,pcm_u32le',
  'adpcm_ms,adpcm_ima_wav,adpcm_ima_qt,adpcm_swf,adpcm_yamaha,adpcm_g722,g722,adpcm_g726,g726,gsm,gsm_ms,qdm2,qdmc',
].join(',');
