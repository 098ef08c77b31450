import type { ProposalActivities, ProposalStage, TallyActivities } from '../../src/platform/temporal/activity-types.ts';
import type { WorkflowSignal } from '../../src/platform/temporal/messages.ts';
import { proposalWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { runWorkflow } from '../stack/run-workflow.ts';
import { type Call, observed } from './observed.ts';

/** Runs the workflow of a proposal that Postgres has in this stage. What ends a phase is refused unless the test allows it. */
export async function runProposal(begins: ProposalStage, changed: Partial<ProposalActivities & TallyActivities> = {}) {
  const proposalId = crypto.randomUUID();
  let stage = begins;
  const calls: Call[] = [];
  const refused = () => Promise.reject(new Error('its time has not come'));
  const activities: ProposalActivities & TallyActivities = {
    readStage: () => Promise.resolve(stage),
    expireDraft: refused,
    closeVoting: refused,
    endExecution: refused,
    releaseStakes: () => Promise.resolve(),
    anchorTally: () => Promise.resolve(),
    ...changed,
  };
  const workflow = await runWorkflow({
    type: 'proposal',
    workflowId: proposalWorkflowId(proposalId),
    input: { proposalId, clockOffsetMs: 0 },
    activities: observed(activities, (call) => calls.push(call)),
  });
  return {
    ...workflow,
    /** What it did besides reading. */
    done: () => calls.filter(({ name }) => name !== 'readStage'),
    /** Its stage changes, and the workflow is told so. */
    async becomes(next: ProposalStage, signal: WorkflowSignal) {
      stage = next;
      await workflow.signal(signal);
    },
    /** Its stage changes, and nobody tells the workflow. */
    becomesUnseen(next: ProposalStage) {
      stage = next;
    },
    outcome: () => workflow.handle.result() as Promise<string>,
  };
}

/** An activity that changes the stage to this one and returns it. */
export const endsAs = (stage: ProposalStage) => () => Promise.resolve(stage);

export const ended = (outcome: Extract<ProposalStage, { stage: 'ended' }>['outcome']): ProposalStage => ({
  stage: 'ended',
  outcome,
});
