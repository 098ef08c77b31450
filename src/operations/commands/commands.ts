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
  npm run ops -- migrate                   update the database, and grant the api and the worker their rights
  npm run ops -- release                   give all tasks to the workers of this build (start one first)
  npm run reconcile                        compare the records of all vaults with the ledger, and store the report
  npm run ops -- quarantine list           list transactions whose effects could not be recorded, oldest first
  npm run ops -- quarantine retry [hash]   record these effects again, for one transaction or for all
  npm run ops -- holds end <vault>         end a vault's hold for a transaction that the worker refused to sign
  npm run ops -- keys skip                 skip keys that may have been used since the backup (run after a restore)
  npm run ops -- audit verify              compare the audit log with its anchors on the ledger, and print its last hash
  npm run ops -- rotate-encryption-key     encrypt values of another key again, with ENCRYPTION_KEY
  npm run ops -- ledger status             print the last block that was read, and whether you have to decide
  npm run ops -- ledger accept [height]    follow the ledger's other history from this block, and undo what is not on it
  npm run ops -- new-root                  print a new root key and its operator's address, once
  npm run ops -- operator-address          print the operator's address of OPERATOR_MNEMONIC, which needs ADA
  npm run ops -- split-root <needed> <all> print shares of the root key of OPERATOR_MNEMONIC (SLIP-39), once
  npm run ops -- join-root                 read shares, one a line, and print the root key`;

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
    return { ok: false, output: `Transaction ${hash} is not in quarantine. Run "quarantine list" to see the hashes.` };
  }
  const lines = retried.map(({ hash: retriedHash, error }) => `${retriedHash} ${error ?? 'recorded'}`);
  const output = lines.length === 0 ? 'Nothing to retry.' : lines.join('\n');
  return { ok: retried.every(({ error }) => error === null), output };
}

async function endAlarm({ unitOfWork }: Context, vaultId: string): Promise<CommandResult> {
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(vaultId);
  const ended = isId && (await unitOfWork((context) => endAlarmHold(context, vaultId)));
  return ended
    ? { ok: true, output: `Ended the hold of vault ${vaultId}.` }
    : { ok: false, output: 'No vault with this ID has the hold "unjustified_transaction". See `holds` of the vault.' };
}

async function skipKeys({ db }: Context): Promise<CommandResult> {
  const skipped = await skipFreeVaultKeys(db);
  return { ok: true, output: `Skipped ${skipped} keys. No new vault gets them. The worker publishes new ones.` };
}

async function rotateKey({ db, encryption }: Context): Promise<CommandResult> {
  if (!encryption)
    return { ok: false, output: 'Set ENCRYPTION_KEY to the new key and ENCRYPTION_KEY_OTHER to the old one.' };
  const { rotated, unreadable } = await rotateEncryptionKey({ db, encryption });
  const failed = unreadable.map((vaultId) => `No configured key decrypts the admin email of vault ${vaultId}.`);
  const done = `Encrypted ${rotated} values with the key ${encryption.keyId}.`;
  return { ok: failed.length === 0, output: [done, ...failed].join('\n') };
}

async function verifyAudit({ db, ledger }: Context): Promise<CommandResult> {
  if (!ledger) return { ok: false, output: 'Set LEDGER_URL. The command compares the audit log with the ledger.' };
  const verdict = await verifyAuditLogByLedger({ db, ledger });
  if (verdict.kind === 'facts_changed')
    return {
      ok: false,
      output: `Transaction ${verdict.transactionHash} anchors facts that are missing from the database.`,
    };
  if (verdict.kind === 'anchor_missing')
    return { ok: false, output: `The anchor of audit log entry ${verdict.seq} is not on the ledger.` };
  const { chain, anchors } = verdict;
  if (!chain.intact) return { ok: false, output: `Audit log entry ${chain.seq}: ${chain.reason}.` };
  const entries = `${chain.entries} entries are intact and match the ledger (anchors of the log: ${anchors}).`;
  return { ok: true, output: `${entries} Hash of the last entry: ${chain.end.hash}.` };
}
