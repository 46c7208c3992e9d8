// The document that a page shows: what src/run/run_report.cc writes. docs/report.md describes it.

/** Images or sinograms of one site, slice by slice. */
export interface PackedStack {
  site: string;
  /** reconstruction, truth, alone; data, residual. */
  view: string;
  rows: number;
  columns: number;
  /** Smallest and largest value of all slices, those that are not here included. */
  low: number;
  high: number;
  bits: 16 | 32;
  /** With 16 bits: k stands for base + k * step. */
  base?: number;
  step?: number;
  /** base64, little-endian. */
  values: string;
  signal?: string;
  units?: string;
  /** Angles in degrees, of a sinogram's rows. */
  theta?: number[];
}

export interface StackSet {
  all_slices: number;
  /** Numbers of the slices that are here. */
  slices: number[];
  /** So many by so many values have become their mean. */
  reduction: number;
  /** cm, of the images as they were reconstructed. */
  pixel_size?: number;
  stacks: PackedStack[];
}

export interface Curve {
  /** objective, step_norm, constraint_violation, kkt, step_size, error_to_truth, residual; of a
   *  coordinator that runs: sum_seconds. */
  key: string;
  /** Of a residual. */
  site: string;
  /** Rounds before thinning. */
  points: number;
  round: number[];
  seconds: number[];
  value: number[];
}

/** What the residual of a site has to fall to, from each of these rounds on: chunks of slices have
 *  levels of their own. */
export interface Level {
  site: string;
  round: number[];
  seconds: number[];
  value: number[];
}

/** Of a coordinator's summary: name and bytes. */
export interface SiteSummary {
  name: string;
  residual?: number;
  discrepancy?: number;
  full_scale?: number;
  bytes_up: number;
  bytes_down: number;
  error_to_truth?: number;
  data_sha256?: string;
}

export interface Certificate {
  primal: number;
  stationarity: number;
  relative: number;
  min_w: number;
  multiplier: number;
}

/** summary.json; docs/formats.md lists its keys. A coordinator's has other ones. */
export interface Summary {
  study: string;
  version: string;
  seconds: number;
  method?: string;
  rounds?: number;
  local_iterations?: number;
  exchanges?: number;
  objective?: number;
  step_norm?: number;
  kkt?: Certificate;
  termination?: { reason: string; message: string; converged: boolean };
  sites?: SiteSummary[];
  error_to_truth?: { total: number | null; sites: Record<string, number | null> };
  lambda_max?: number;
  projection_seconds?: number;
  phases?: Record<string, number>;
  threads?: number;
  kernel?: string;
  options?: Record<string, string | number | boolean>;
  federation?: {
    run: string;
    attempt: number;
    sites: number;
    secure_aggregation: boolean;
    messages: number;
    bytes: number;
  };
  run?: string;
  attempts?: number;
  /** Of a run in several chunks of slices. */
  chunks?: { rounds: number; kkt: Certificate; full_scale?: Record<string, number> }[];
}

export interface StudySite {
  name: string;
  kind: 'xrf' | 'xrt';
  sigma: number;
  coefficient?: number;
  element?: string;
}

export interface Study {
  name: string;
  description: string;
  rows: number;
  columns: number;
  slices: number;
  pixel_size: number;
  other: boolean;
  text: string;
  sites: StudySite[];
}

export type SiteState = 'expected' | 'waiting' | 'computing' | 'sending' | 'lost' | 'done';

export interface LiveSite {
  name: string;
  state: SiteState;
  /** That have left this site; on its own page. */
  bytes?: number;
  messages?: number;
  /** From the site, and to it; on the coordinator's page. */
  bytes_up?: number;
  bytes_down?: number;
}

export type RunState = 'starting' | 'reading' | 'waiting' | 'computing' | 'sending' | 'pausing' |
  'paused' | 'writing' | 'finished' | 'stopped' | 'failed';

/** The state of a run that goes on; docs/dashboard.md has its keys. */
export interface Live {
  state: RunState;
  stage: string;
  round: number;
  limit: number;
  chunk: number;
  chunks: number;
  seconds: number;
  remaining: number | null;
  /** `remaining` is a limit; else an estimate. */
  at_most: boolean;
  /** The part of the run that is behind, 0 to 1. */
  progress: number | null;
  sites?: LiveSite[];
  sums?: number;
  attempt?: number;
  messages: { seconds: number; text: string }[];
  images: number;
  control: boolean;
}

export type RunKind = 'recon' | 'site' | 'federation' | 'coordinator';

export interface RunDocument {
  format: string;
  version: number;
  program: string;
  kind: RunKind;
  summary: Summary;
  study?: Study;
  images?: StackSet | null;
  sinograms?: StackSet | null;
  curves?: Curve[];
  /** Of a run that ends by the discrepancy rule. */
  levels?: Level[];
  /** ||w|| over all images, where all are known. */
  image_norm?: number;
  notes?: string[];
  /** From a server. */
  live?: Live;
}

/** Several runs that have ended. */
export interface Comparison {
  format: string;
  version: number;
  runs: { name: string; document: RunDocument }[];
}

export function isReport(document: RunDocument | Comparison | null): document is RunDocument {
  return document?.format === 'firm-report' && document.version === 1;
}

export function isComparison(document: RunDocument | Comparison): document is Comparison {
  return document.format === 'firm-comparison' && document.version === 1;
}

export function hasEnded(live: Live): boolean {
  return ['finished', 'stopped', 'failed'].includes(live.state);
}

/** Whether there is more to come. */
export function goesOn(run: RunDocument): boolean {
  return run.live !== undefined && !hasEnded(run.live);
}

export function siteSummaries(summary: Summary): SiteSummary[] {
  return summary.sites ?? [];
}
