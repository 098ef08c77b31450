import { z } from 'zod';
import { type Pause, pausedAreas } from '../../rules/pause.ts';
import { isoText } from '../../../platform/units/instant.ts';
import { enumSchema } from '../../../platform/http/enums.ts';
import { Timestamp } from '../../../platform/http/fields.ts';

const PausedAreaEnum = enumSchema('PausedArea', pausedAreas, {
  creation: 'new vaults',
  contribution: 'new assets in vaults',
  investment: 'new investments',
  governance: 'new stakes and proposals',
});

const PauseResource = z
  .object({
    area: PausedAreaEnum,
    reason: z.string().describe('Why, in the words of the operator'),
    since: Timestamp.describe('When the pause began'),
  })
  .meta({
    id: 'Pause',
    examples: [{ area: 'investment', reason: 'The price feed is being repaired', since: '2026-11-22T13:10:05.144Z' }],
  });

export const Pauses = z.object({ pauses: z.array(PauseResource) });

export function presentPauses(pauses: readonly Pause[]): z.input<typeof Pauses> {
  return { pauses: pauses.map(({ since, ...pause }) => ({ ...pause, since: isoText(since) })) };
}
