import { continuingLives } from './lives/continuing.ts';
import type { Life } from './lives/life.ts';
import { otherLives } from './lives/others.ts';
import { proposalLives } from './lives/proposals.ts';
import { vaultLives } from './lives/vaults.ts';

/** Lives of all workflows that together take each of their paths, by the names of their recorded histories. */
export const lives: Readonly<Record<string, () => Life>> = {
  ...vaultLives,
  ...proposalLives,
  ...otherLives,
  ...continuingLives,
};
