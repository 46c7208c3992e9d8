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
  /** objective, step_norm, constraint_violation, kkt, step_size, error_to_truth, residual. */
  key: string;
  /** Of a residual. */
  site: string;
  /** Rounds before thinning. */
  points: number;
  round: number[];
  seconds: number[];
  value: number[];
}

export interface SiteSummary {
  name: string;
  residual: number;
  discrepancy: number;
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
  sites?: SiteSummary[] | number;
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
  /** ||w|| over all images, where all are known. */
  image_norm?: number;
  notes?: string[];
}

export function siteSummaries(summary: Summary): SiteSummary[] {
  return Array.isArray(summary.sites) ? summary.sites : [];
}
