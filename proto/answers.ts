/** How each reason of a refusal is answered, from the options in errors.proto. */
import { type Answer, answer, type Reason, ReasonSchema } from '@audiosplit/proto/errors/v1/errors';
import { getOption } from '@bufbuild/protobuf';

/** Without the reasons of a newer version. */
export const ANSWERS: ReadonlyMap<Reason, Answer> = new Map(
  ReasonSchema.values.map((value) => [value.number, getOption(value, answer)]),
);
