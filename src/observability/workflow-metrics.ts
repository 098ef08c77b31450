import { Counter, type Registry } from 'prom-client';

/** Returns a function that counts workflows that were terminated or lost and are started again (design D46). */
export function lostWorkflowCounter(registry: Registry): (lost: { kind: string; end: string }) => void {
  const restarted = new Counter({
    name: 'lost_workflows_total',
    help: 'Workflows with something left to do that did not run and were started again, by kind and by how they ended: each is an alarm',
    labelNames: ['kind', 'end'],
    registers: [registry],
  });
  return ({ kind, end }) => {
    restarted.inc({ kind, end });
  };
}
