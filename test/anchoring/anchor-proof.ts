import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

export interface Note {
  readonly factId: string;
  readonly hash: string;
}

export interface AnchorProof {
  readonly fact: string;
  readonly txHash: string;
  readonly status: string;
  readonly blockHeight: number | null;
  readonly replaced: readonly string[];
}

/** Waits until the anchor of every batch is in a block. */
export async function waitUntilAllConfirmed({ sql }: Pick<TestStack, 'sql'>): Promise<void> {
  await until(
    async () => {
      const rows = await sql.run<{ missing: number }>`select count(*)::int as missing from anchor_batches
          where not confirmed`;
      return rows[0]?.missing === 0;
    },
    { what: 'every batch to be on the ledger' },
  );
}

export async function readProof({ api }: Pick<TestStack, 'api'>, factId: string): Promise<AnchorProof> {
  const { status, body } = await api.get<{ data: AnchorProof }>(`/anchors/${factId}/proof`);
  if (status !== 200) throw new Error(`no proof of ${factId}: ${JSON.stringify(body)}`);
  return body.data;
}

type StackAddresses = Pick<TestStack, 'apiUrl' | 'ledger' | 'adminKey'>;

/** Runs the tool that checks an anchored fact; returns its output. */
export function runAnchorCheck({ apiUrl, ledger, adminKey }: StackAddresses, factId: string): Promise<string> {
  const proof = `${apiUrl()}/api/v1/anchors/${factId}/proof`;
  return runTool('check-anchor', [proof, `${ledger.url}/api/v0`, adminKey]);
}

/** Runs the tool that recounts a closed vote; returns its output. */
export function runVoteRecount({ apiUrl, ledger, adminKey }: StackAddresses, proposalId: string, voteId: string) {
  return runTool('recount', [apiUrl(), `${ledger.url}/api/v0`, adminKey, proposalId, voteId]);
}

async function runTool(name: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [`tools/${name}.mjs`, ...args]);
  return stdout.trim();
}
