import type { Request } from 'express';
import type { z } from 'zod';
import { Refusal } from './http-answer.ts';

/** The JSON body in the shape of `schema`; a missing one counts as {}. Refuses with 400 and the field's name. */
export function parsed<T extends z.ZodType>(schema: T, req: Request): z.infer<T> {
  const body: unknown = req.body;
  const result = schema.safeParse(body ?? {});
  if (result.success) return result.data;
  const reasons = result.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new Refusal(400, reasons.join('; '));
}
