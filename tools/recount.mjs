#!/usr/bin/env node
/** Counts and decides a closed vote again, from its list of votes and the ledger. See docs/guides/verification.md. */
import { blake2b } from '@noble/hashes/blake2.js';

const [apiUrl, ledgerUrl, apiKey, proposalId, voteId] = process.argv.slice(2);
if (!proposalId) {
  console.error('Usage: recount.mjs API_URL LEDGER_URL API_KEY PROPOSAL_ID [VOTE_ID]');
  process.exit(2);
}
const read = async (url) => {
  const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
  if (!response.ok) throw new Error(`${response.status} from ${url}: ${await response.text()}`);
  return response.json();
};
const hash = (...hex) => Buffer.from(blake2b(Buffer.from(hex.join(''), 'hex'), { dkLen: 32 })).toString('hex');
const leafOf = (fact) => hash('00', Buffer.from(fact).toString('hex'));

// 1. Every vote that counts, and the Merkle root of their leaves.
const votes = [];
for (let after = ''; after !== null;) {
  const listed = await read(`${apiUrl}/api/v1/proposals/${proposalId}/votes?limit=100${after && `&after=${after}`}`);
  votes.push(...listed.data.votes.filter(({ status }) => status !== 'REVOKED').map(({ fact }) => fact));
  after = listed.metadata.pagination.next;
}
let level = votes.map(leafOf).sort();
const parent = (left, at) => (at % 2 ? [] : level[at + 1] ? [hash('01', left, level[at + 1])] : [left]);
while (level.length > 1) level = level.flatMap(parent);

// 2. The anchored outcome, and whether it is on the ledger.
const { closing } = (await read(`${apiUrl}/api/v1/proposals/${proposalId}`)).data;
if (!closing) throw new Error('not closed yet, or its tally is still on its way to the ledger');
const { fact, path, txHash } = (await read(`${apiUrl}${closing.proof}`)).data;
const up = (node, { side, hash: other }) => (side === 'left' ? hash('01', other, node) : hash('01', node, other));
const metadata = await read(`${ledgerUrl}/txs/${txHash}/metadata`);
const onLedger = metadata.find(({ label }) => label === '868483').json_metadata.root === path.reduce(up, leafOf(fact));

// 3. The tally.
const [closed, cast] = [JSON.parse(fact), votes.map((vote) => JSON.parse(vote))];
const power = (word) =>
  cast.filter((vote) => vote.decision === word).reduce((sum, vote) => sum + BigInt(vote.amount), 0n);
const [approve, reject] = [power('APPROVE'), power('REJECT')];
const voters = new Set(cast.filter((vote) => vote.proposalId === proposalId).map(({ wallet }) => wallet)).size;
const isTrue = closed.proposalId === proposalId && voters === votes.length && voters === closed.tally.voters;

// 4. The decision, by the thresholds that were anchored with the proposal.
const { thresholds } = JSON.parse((await read(`${apiUrl}/api/v1/anchors/${proposalId}/proof`)).data.fact);
const reaches = (part, points, whole) => part * 10_000n >= BigInt(points) * BigInt(whole);
const isQuorate =
  reaches(approve + reject, thresholds.vote, closed.quorumBase) && reaches(approve + reject, 1_000, closed.circulating);
const decided = () => {
  if (!voters || !isQuorate) return 'quorum_not_reached';
  if (approve === reject) return 'tied';
  return approve > reject && reaches(approve, thresholds.execution, approve + reject) ? 'passed' : 'rejected';
};
const outcome = closed.outcome === 'asset_in_another_proposal' ? 'passed' : closed.outcome;
const isCounted =
  outcome === decided() &&
  closed.votesRoot === (level[0] ?? null) &&
  closed.tally.approve === `${approve}` &&
  closed.tally.reject === `${reject}`;
console.log(onLedger && isTrue && isCounted ? `counted right, in ${txHash}: ${fact}` : 'NOT what is on the ledger');
if (voteId) console.log(cast.some((vote) => vote.voteId === voteId) ? `counted: ${voteId}` : `NOT counted: ${voteId}`);
