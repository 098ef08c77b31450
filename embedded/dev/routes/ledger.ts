import { z } from 'zod';
import { ok } from '../../../src/platform/http/route.ts';
import { route } from '../../../src/api-context.ts';
import { FaultSettings } from '../../ledger/faults.ts';
import { type Development, developerPermission } from '../development.ts';

export const rollBackLedger = ({ ledgerControls }: Development) =>
  route({
    method: 'post',
    path: '/ledger/rollback',
    operationId: 'devRollBackLedger',
    summary: 'Roll back the last blocks; their transactions are removed from the ledger',
    description:
      'As a fork of the chain does. The service undoes what it saw in these blocks, and submits again what ' +
      'can still land.',
    success: 'The new tip of the ledger',
    examples: { two: { blocks: 2 } },
    permission: developerPermission('UPDATE'),
    kind: 'unrecorded change',
    body: z.strictObject({ blocks: z.int().min(1).max(2160) }),
    responses: { 200: z.object({ height: z.int(), slot: z.int(), hash: z.string() }) },
    errors: ['LEDGER_UNAVAILABLE', 'LEDGER_SWITCH_REFUSED'],
    async handle({ body }) {
      return ok(await ledgerControls.rollback(body.blocks));
    },
  });

export const setLedgerFaults = ({ ledgerControls }: Development) =>
  route({
    method: 'post',
    path: '/ledger/faults',
    operationId: 'devSetLedgerFaults',
    summary: 'Replace the faults of the ledger; an empty object ends them',
    description:
      'A number is how many of the next submissions fail; `drop` accepts and forgets them, `all: down` refuses ' +
      'every call.',
    success: 'The faults in force',
    examples: { busy: { submit429: 2 }, none: {} },
    permission: developerPermission('UPDATE'),
    kind: 'unrecorded change',
    body: FaultSettings,
    responses: { 200: FaultSettings },
    errors: ['LEDGER_UNAVAILABLE', 'LEDGER_SWITCH_REFUSED'],
    async handle({ body }) {
      return ok(await ledgerControls.setFaults(body));
    },
  });
