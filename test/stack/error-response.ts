/** The response of a refused request, as far as a test names it. */
export const errorResponse = (status: number, code: string, details?: unknown) => ({
  status,
  body: { error: { code, ...(details !== undefined && { details }) } },
});
