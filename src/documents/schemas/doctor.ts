import { z } from 'zod';

export const DoctorDocument = z.strictObject({
  status: z.enum(['ok', 'missing']).describe('`missing`: something needed is missing'),
  checks: z.array(
    z.strictObject({
      name: z.string().describe('Program, package, or another need'),
      use: z.string().describe('What it is for'),
      found: z.string().nullable().describe('Version and path, free disk space, or state of the port; null if missing'),
      problem: z.string().optional().describe('Why the need counts as missing, unless it was simply not found'),
      fix: z.string().optional().describe('How to get it on this machine'),
      needed: z.boolean().describe('False if gymgen or uv can install it when needed'),
      warning: z.string().optional().describe('Problem with what was found'),
    }),
  ),
});
export type DoctorDocument = z.infer<typeof DoctorDocument>;
