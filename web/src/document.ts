// Types of the document that a page shows. src/run/report/run_report.cc writes it; docs/report.md
// describes it.

/** Images or sinograms of one site, slice by slice. */
export interface PackedStack {
  site: string;
  /** Image: reconstruction, truth or alone; sinogram: data or residual. */
  view: string;
  rows: number;
  columns: number;
  /** Smallest and largest value of all slices, including those that the page leaves out. */
  low: number;
  high: number;
  bits: 16 | 32;
  /** With 16 bits, code k stands for base + k * step. */
  base?: number;
  step?: number;
  /** Little-endian, base64. */
  values: string;
  signal?: string;
  units?: string;
  /** Angles of a sinogram's rows, in degrees. */
  theta?: number[];
}

export interface StackSet {
  all_slices: number;
  /** Numbers of the slices that the page holds. */
  slices: number[];
  /** Each value is the mean of `reduction` x `reduction` values. */
  reduction: number;
  /** Size of a reconstructed pixel, in cm. */
  pixel_size?: number;
  stacks: PackedStack[];
}

export interface Curve {
  /** objective, step_norm, constraint_violation, kkt, step_size, error_to_truth, residual, fit; on
   *  the live page of a coordinator: sum_seconds. */
  key: string;
  /** Site of a residual or a fit; empty for other curves. */
  site: string;
  /** Rounds before thinning. */
  points: number;
  round: number[];
  seconds: number[];
  value: number[];
}

/** Residual of a site at which the discrepancy rule stops the run. Each chunk of slices has its own
 *  `value`, which applies from its `round` on. */
export interface ResidualTarget {
  site: string;
  round: number[];
  seconds: number[];
  value: number[];
}

/** A coordinator's summary has only name and bytes. */
export interface SiteSummary {
  name: string;
  residual?: number;
  discrepancy?: number;
  full_scale?: number;
  bytes_up: number;
  bytes_down: number;
  error_to_truth?: number;
  data_sha256?: string;
  /** Root mean square of (A w - b) / sigma. This key and the next two are missing in older runs. */
  fit?: number | null;
  /** Fit of an image made from the data of this site alone; missing if the joint one fits. */
  fit_alone?: number | null;
  /** Part of the squared misfit that comes from the other sites; missing as fit_alone. */
  others_share?: number | null;
  /** The data is fitted alone, but not together with the other sites. */
  contradicted?: boolean;
  /** Standard deviation of the noise: g/cm^2 for XRF, no unit for XRT. */
  sigma?: number | null;
  /** guess: unknown to the study, and estimated only to judge the fit. */
  sigma_source?: 'given' | 'counts' | 'estimated' | 'guess';
  /** `sigma`: only if it was found in the data. */
  preparation?: { warnings?: string[]; sigma?: number };
}

export interface Certificate {
  primal: number;
  stationarity: number;
  relative: number;
  min_w: number;
  multiplier: number;
}

export interface PriorSummary {
  kind: string;
  /** null: chunks of slices have found different ones. */
  strength: number | null;
  automatic: boolean;
  solver?: string;
  /** Strength and error of the rays left out, from the largest strength; empty if it was given. */
  curve: [number, number | null][];
}

/** A scan as alignment found it; a number that was not refined is missing. An uncertainty is a
 *  standard deviation; null: unknown. */
export interface RefinedScan {
  /** Beamlets, one for each angle. */
  shifts?: number[];
  uncertainties?: (number | null)[];
  /** Root mean square of `uncertainties`. */
  uncertainty?: number | null;
  /** Slices, one for each angle. */
  shifts_vertical?: number[];
  vertical_uncertainty?: number | null;
  /** Factor of the angle step. */
  angle_scale?: number;
  angle_scale_uncertainty?: number | null;
}

/** Numbers of a site as alignment found them; those that were not refined are missing. */
export interface RefinedSite {
  /** Beamlets, from the edge of the detector. */
  axis?: number;
  axis_uncertainty?: number | null;
  /** Beamlets. */
  lag?: number;
  lag_uncertainty?: number | null;
  /** g/cm^2 per count. */
  scale?: number;
  scale_uncertainty?: number | null;
  /** false: the scale is not known well enough, so XRT ignores the site. */
  coupled?: boolean;
  /** One for each angle. */
  gain?: number[];
}

export interface Refined {
  scans: Record<string, RefinedScan>;
  sites: Record<string, RefinedSite>;
  rounds: number;
  notes: string[];
  warnings: string[];
}

/** Self-absorption of a run. */
export interface AbsorptionSummary {
  attenuation: 'elements' | 'xrt';
  start: string;
  /** Energies in keV; masses in g: without correction, after each outer round, at the end. */
  sites: Record<string, { incident_energy: number; line_energy: number; masses: number[] }>;
}

/** T of the middle slice of one site: one image for each angle. */
export interface TransmittanceStack extends PackedStack {
  /** Numbers of the angles, in file order, and the angles in degrees. */
  angles: number[];
  theta: number[];
}

export interface TransmittanceSet {
  slice: number;
  all_slices: number;
  reduction: number;
  stacks: TransmittanceStack[];
}

/** summary.json; docs/formats.md lists its keys. That of a coordinator has other keys. */
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
  /** Only in a run of several chunks of slices. */
  chunks?: { rounds: number; kkt: Certificate; full_scale?: Record<string, number>;
    prior?: PriorSummary }[];
  /** Only in a run with a prior; while it goes on, known once the strength is. */
  prior?: PriorSummary;
  /** Only in a run that has aligned its scans; also while it goes on. */
  refined?: Refined;
  /** These four only in a run with self-absorption; while it goes on, without the kept fraction. */
  absorption?: AbsorptionSummary;
  outer_rounds?: number;
  masses?: Record<string, number | null>;
  kept_fraction?: Record<string, number>;
  /** Whether the data of all sites is fitted; null: unknown. Missing in older runs. */
  fits?: boolean | null;
  /** Missing in older runs. */
  warnings?: string[];
}

export interface StudySite {
  name: string;
  kind: 'xrf' | 'xrt';
  sigma: number;
  coefficient?: number;
  element?: string;
  compound?: string;
  line?: string;
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
  /** Sent by this site; only on the page of a site. */
  bytes?: number;
  messages?: number;
  /** From the site and to the site; only on the coordinator's page. */
  bytes_up?: number;
  bytes_down?: number;
}

export type RunState = 'starting' | 'reading' | 'waiting' | 'computing' | 'sending' | 'pausing' |
  'paused' | 'writing' | 'finished' | 'stopped' | 'failed';

/** Status of a run on a dashboard; docs/dashboard.md describes the keys. */
export interface Live {
  state: RunState;
  stage: string;
  round: number;
  limit: number;
  chunk: number;
  chunks: number;
  seconds: number;
  remaining: number | null;
  /** `remaining` is an upper limit, not an estimate. */
  at_most: boolean;
  /** Fraction of the run that is done, 0 to 1. */
  progress: number | null;
  sites?: LiveSite[];
  sums?: number;
  attempt?: number;
  messages: { seconds: number; text: string }[];
  warnings: string[];
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
  /** Only in a run with self-absorption. */
  transmittance?: TransmittanceSet | null;
  curves?: Curve[];
  /** Only in a run with the discrepancy rule. */
  levels?: ResidualTarget[];
  /** ||w|| over all images, if all are known. */
  image_norm?: number;
  notes?: string[];
  /** Only in the document of a dashboard. */
  live?: Live;
}

/** Several finished runs. */
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

/** Whether the document is that of a run that has not ended. */
export function isRunning(run: RunDocument): boolean {
  return run.live !== undefined && !hasEnded(run.live);
}

export function siteSummaries(summary: Summary): SiteSummary[] {
  return summary.sites ?? [];
}
