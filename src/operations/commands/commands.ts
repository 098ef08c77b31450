import type { Ledger } from '../../cardano/ledger/ledger.ts';
import type { ServiceContext } from '../../context.ts';
import { isoText } from '../../platform/units/time.ts';
import { verifyAuditLogByLedger } from '../../access/audit.ts';
import { rotateEncryptionKey } from '../../vaults/rotate-encryption-key.ts';
import { endAlarmHold } from '../../vaults/holds.ts';
import { retryQuarantined } from '../../ledger-follower/retry-quarantined.ts';
import type { CommandResult } from './command-result.ts';
import { ledgerCommand } from './ledger-commands.ts';
import { reconcileCommand } from './reconcile-command.ts';
import type { Encryption } from '../../platform/database/encryption.ts';
import { listQuarantine } from '../../ledger-follower/queries/quarantine.ts';
import { skipFreeVaultKeys } from '../queries.ts';

interface Context extends Pick<ServiceContext, 'db' | 'unitOfWork'> {
  /** Null when the configuration names none. */
  readonly ledger: Ledger | null;
  /** Absent or null when the configuration has no key. */
  readonly encryption?: Encryption | null;
}

const usage = `Usage:
  npm run ops -- migrate                   brings the database to this release, and gives api and worker their rights
  npm run ops -- release                   gives all tasks to the workers of this code, once one of them runs
  npm run reconcile                        compares the books of all vaults with the ledger, and stores the report
  npm run ops -- quarantine list           what could not be recorded, oldest first
  npm run ops -- quarantine retry [hash]   records it, for one transaction or for all
  npm run ops -- holds end <vault>         ends the hold of a vault for a transaction that nothing justified
  npm run ops -- keys skip                 after a restore: new vaults get no key that a vault of after the backup may have
  npm run ops -- audit verify              whether the audit log is as it was anchored on the ledger, and the hash at its end
  npm run ops -- rotate-encryption-key     encrypts what is stored under another key with ENCRYPTION_KEY
  npm run ops -- ledger status             how far the ledger is followed, and whether an operator has to decide
  npm run ops -- ledger accept [height]    reads the ledger's other history from this block on, and undoes what is not on it
  npm run ops -- new-root                  prints a new root key and its operator's address, once
  npm run ops -- operator-address          the address of the operator of OPERATOR_MNEMONIC, which needs ADA
  npm run ops -- split-root <needed> <all> prints shares of the root key of OPERATOR_MNEMONIC (SLIP-39), once
  npm run ops -- join-root                 reads shares, one a line, and prints the root key`;

/** What each command of two words does with its argument. */
const commands: Readonly<Record<string, (context: Context, argument?: string) => Promise<CommandResult>>> = {
  'quarantine list': list,
  'quarantine retry': (context, argument) => retry(context, argument ?? null),
  'holds end': (context, argument) => endAlarm(context, argument ?? ''),
  'keys skip': skipKeys,
  'audit verify': verifyAudit,
};

/** Runs a command of an operator; an unknown one returns the usage. */
export function runCommand(context: Context, [noun, verb, argument]: readonly string[]): Promise<CommandResult> {
  const command = commands[`${noun} ${verb}`];
  if (command) return command(context, argument);
  if (noun === 'reconcile') return reconcileCommand(context);
  if (noun === 'rotate-encryption-key') return rotateKey(context);
  const result = noun === 'ledger' ? ledgerCommand(context, verb, argument) : null;
  return result ?? Promise.resolve({ ok: false, output: usage });
}

async function list({ db }: Context): Promise<CommandResult> {
  const lines = (await listQuarantine(db)).map(
    ({ hash, kind, vaultId, from, to, blockHeight, attempts, at, error }) =>
      `${hash} ${kind} vault ${vaultId ?? '-'} ${from} → ${to} block ${blockHeight ?? '-'} attempts ${attempts} since ${isoText(at)}\n  ${error}`,
  );
  return { ok: true, output: lines.length === 0 ? 'Nothing is in quarantine.' : lines.join('\n') };
}

async function retry(context: Context, hash: string | null): Promise<CommandResult> {
  const retried = await retryQuarantined(context, hash);
  if (hash !== null && retried.length === 0) {
    return { ok: false, output: `Transaction ${hash} is not in quarantine.` };
  }
  const lines = retried.map(({ hash: retriedHash, error }) => `${retriedHash} ${error ?? 'recorded'}`);
  const output = lines.length === 0 ? 'Nothing to retry.' : lines.join('\n');
  return { ok: retried.every(({ error }) => error === null), output };
}

async function endAlarm({ unitOfWork }: Context, vaultId: string): Promise<CommandResult> {
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(vaultId);
  const ended = isId && (await unitOfWork((context) => endAlarmHold(context, vaultId)));
  return ended
    ? { ok: true, output: `Vault ${vaultId} is held no longer.` }
    : { ok: false, output: 'No such vault is held for a transaction that nothing justified.' };
}

async function skipKeys({ db }: Context): Promise<CommandResult> {
  const skipped = await skipFreeVaultKeys(db);
  return { ok: true, output: `No new vault gets one of these ${skipped} keys. The worker publishes others.` };
}

async function rotateKey({ db, encryption }: Context): Promise<CommandResult> {
  if (!encryption) return { ok: false, output: 'Set ENCRYPTION_KEY, and ENCRYPTION_KEY_OTHER to the key before it.' };
  const { rotated, unreadable } = await rotateEncryptionKey({ db, encryption });
  const failed = unreadable.map((vaultId) => `The email of the admin of vault ${vaultId} is under no configured key.`);
  const done = `${rotated} values are now under the key ${encryption.keyId}.`;
  return { ok: failed.length === 0, output: [done, ...failed].join('\n') };
}

async function verifyAudit({ db, ledger }: Context): Promise<CommandResult> {
  if (!ledger) return { ok: false, output: 'Set LEDGER_URL: the audit log is compared with the ledger.' };
  const verdict = await verifyAuditLogByLedger({ db, ledger });
  if (verdict.kind === 'facts_changed')
    return {
      ok: false,
      output: `Transaction ${verdict.transactionHash} anchors facts that the database does not have.`,
    };
  if (verdict.kind === 'anchor_missing')
    return { ok: false, output: `The ledger does not have the anchor of entry ${verdict.seq} of the audit log.` };
  const { chain, anchors } = verdict;
  if (!chain.intact) return { ok: false, output: `Entry ${chain.seq} of the audit log: ${chain.reason}.` };
  const entries = `${chain.entries} entries are intact and agree with the ledger (anchors of the log: ${anchors}).`;
  return { ok: true, output: `${entries} The hash of the last one is ${chain.end.hash}.` };
}
