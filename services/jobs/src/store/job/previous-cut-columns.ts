/**
 * The columns that hold the cut in releases without the column `cut`. They are written in addition and read
 * if it is null. The release that drops them (migration 0012) deletes this file.
 */
export const PREVIOUS_CUT_COLUMNS = 'split_mode, segment_duration_seconds, max_file_size_bytes';

/** Null for a mode that those releases do not know. */
export function previousCutOf(cut: string): string {
  const seconds = `(${cut} #> '{duration,segmentDuration}')::integer`;
  const bytes = `(${cut} #> '{fileSize,maxFileSize}')::bigint`;
  const mode = `case when ${seconds} is not null then 'duration' when ${bytes} is not null then 'fileSize' end`;
  return `${mode}, ${seconds}, ${bytes}`;
}

export const CUT = `coalesce(cut, case split_mode
  when 'duration' then jsonb_build_object('duration', jsonb_build_object('segmentDuration', segment_duration_seconds))
  when 'fileSize' then jsonb_build_object('fileSize', jsonb_build_object('maxFileSize', max_file_size_bytes))
  end)`;
