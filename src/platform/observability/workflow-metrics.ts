import type { Registry } from 'prom-client';
import { lostKinds, type LostWorkflow, runEnds } from '../temporal/running-workflows.ts';
import { alarmCounter } from './alarm-counter.ts';

/** Returns a function that counts workflows that were terminated or lost and are started again (design D46). */
export function lostWorkflowCounter(registry: Registry): (lost: Pick<LostWorkflow, 'kind' | 'end'>) => void {
  const count = alarmCounter(registry, {
    name: 'lost_workflows_total',
    help: 'Workflows with something left to do that did not run and were started again, by kind and by how they ended: each is an alarm',
    series: lostKinds.flatMap((kind) => runEnds.map((end) => ({ kind, end }))),
  });
  return ({ kind, end }) => {
    count({ kind, end });
  };
}
