import type { Request } from 'express';
import type { z } from 'zod';
import { Refusal } from './http-response.ts';

/** Parses the JSON body by `schema`; a missing body counts as {}. Refuses with 400 and the name of the field. */
export function parseBody<T extends z.ZodType>(schema: T, req: Request): z.infer<T> {
  const body: unknown = req.body;
  const result = schema.safeParse(body ?? {});
  if (result.success) return result.data;
  const reasons = result.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new Refusal(400, reasons.join('; '));
}
