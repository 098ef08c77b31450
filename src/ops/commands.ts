import type { ServiceContext } from '../services/context.ts';
import { isoText } from '../domain/units/instant.ts';
import { verifyAuditChain } from '../events/audit-chain.ts';
import { retryQuarantined } from '../services/ledger/retry-quarantined.ts';
import type { CommandResult } from './command-result.ts';
import { ledgerCommand } from './ledger-commands.ts';
import { listQuarantine } from '../store/quarantine.ts';

type Context = Pick<ServiceContext, 'db' | 'unitOfWork'>;

const usage = `Usage:
  npm run ops -- quarantine list           what could not be recorded, oldest first
  npm run ops -- quarantine retry [hash]   records it, for one transaction or for all
  npm run ops -- audit verify              whether the audit log is intact, and the hash at its end
  npm run ops -- ledger status             how far the ledger is followed, and whether an operator has to decide
  npm run ops -- ledger accept [height]    reads the ledger's other history from this block on, and undoes what is not on it`;

/** Runs a command of an operator; an unknown one returns the usage. */
export function runCommand(context: Context, [noun, verb, argument]: readonly string[]): Promise<CommandResult> {
  if (noun === 'quarantine' && verb === 'list') return list(context);
  if (noun === 'quarantine' && verb === 'retry') return retry(context, argument ?? null);
  if (noun === 'audit' && verb === 'verify') return verifyAudit(context);
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

async function verifyAudit({ db }: Context): Promise<CommandResult> {
  const verdict = await verifyAuditChain(db);
  if (!verdict.intact) return { ok: false, output: `Entry ${verdict.seq} of the audit log: ${verdict.reason}.` };
  return {
    ok: true,
    output: `${verdict.entries} entries are intact. The hash of the last one is ${verdict.end.hash}.`,
  };
}
