import type { Instant } from '../../platform/units/time.ts';
import type { TerminationReason, VaultStatus } from './vault.ts';
import { type Window, overdueSeconds, windowStatusAt } from './window.ts';

export const vaultPhases = [
  'creation',
  'asset_window',
  'investment_window',
  'asset_and_investment_window',
  'between_windows',
  'finality',
  'settlement',
  'governance',
  'refund',
  'terminating',
  'ended',
] as const;
/** The stage of a vault; more detailed than its status. */
export type VaultPhase = (typeof vaultPhases)[number];

/** The state of a vault that decides its phase. */
export interface VaultPhaseSnapshot {
  readonly status: VaultStatus;
  /** Why the vault ends, once that is decided; its deposits may still be being returned. */
  readonly failedBecause: TerminationReason | null;
  readonly assetWindow: Window;
  readonly investmentWindow: Window;
  readonly settlementStarted: boolean;
  /** Settlement deadline T (design D20). */
  readonly settlesBy: Instant;
  /** The end of a PROGRAMMED termination; null for another termination, or before the vault is locked. */
  readonly programmedEnd: Instant | null;
  /** When the claims on a vault that ends are over; null before they are open. */
  readonly claimDeadline: Instant | null;
}

export interface PhaseView {
  readonly phase: VaultPhase;
  /** Null when no time limit ends the phase. */
  readonly phaseEndsAt: Instant | null;
  /** How many whole seconds a due change is late; 0 when none is. */
  readonly overdueSeconds: number;
}

/** The phase at `now`. It is correct even when no worker has made the due changes (design D23). */
export function vaultPhaseAt(snapshot: VaultPhaseSnapshot, now: Instant): PhaseView {
  const { status, failedBecause, settlementStarted, settlesBy, programmedEnd } = snapshot;
  if (status === 'TERMINATED') return { phase: 'ended', phaseEndsAt: null, overdueSeconds: 0 };
  if (failedBecause && status === 'LOCKED') {
    const { claimDeadline } = snapshot;
    return { phase: 'terminating', phaseEndsAt: claimDeadline, overdueSeconds: secondsSince(claimDeadline, now) };
  }
  if (failedBecause) return { phase: 'refund', phaseEndsAt: null, overdueSeconds: 0 };
  if (status === 'LOCKED') {
    return { phase: 'governance', phaseEndsAt: programmedEnd, overdueSeconds: secondsSince(programmedEnd, now) };
  }
  if (settlementStarted) return { phase: 'settlement', phaseEndsAt: settlesBy, overdueSeconds: 0 };
  return windowPhase(snapshot, now);
}

function windowPhase({ assetWindow, investmentWindow, settlesBy }: VaultPhaseSnapshot, now: Instant): PhaseView {
  const windows = [assetWindow, investmentWindow];
  const statuses = windows.map((window) => windowStatusAt(window, now));
  const changes = windows.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]).filter((change) => change > now);
  const next = changes.reduce<Instant | null>(
    (first, change) => (first === null || change < first ? change : first),
    null,
  );
  return {
    phase: phaseOf(statuses[0] === 'ACTIVE', statuses[1] === 'ACTIVE', statuses),
    phaseEndsAt: next ?? settlesBy,
    overdueSeconds: Math.max(...windows.map((window) => overdueSeconds(window, now)), secondsSince(settlesBy, now)),
  };
}

function phaseOf(assets: boolean, investments: boolean, statuses: readonly string[]): VaultPhase {
  if (assets && investments) return 'asset_and_investment_window';
  if (assets) return 'asset_window';
  if (investments) return 'investment_window';
  if (!statuses.includes('PENDING')) return 'finality';
  return statuses.every((status) => status === 'PENDING') ? 'creation' : 'between_windows';
}

function secondsSince(deadline: Instant | null, now: Instant): number {
  return deadline === null ? 0 : Math.max(0, Math.floor((now - deadline) / 1000));
}
