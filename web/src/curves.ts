// How the run went: one chart for each number of the history.
import type { Series } from './chart';
import { CurveCharts, curveTitles, type ChartCurves } from './curve_charts';
import { siteSummaries, type Curve, type RunDocument } from './document';
import type { Change, Panel } from './panel';

export class CurvesPanel implements Panel {
  private readonly charts = new CurveCharts('convergence', 'Convergence');
  readonly element = this.charts.element;

  update(run: RunDocument, change: Change): void {
    if (change !== 'all' && change !== 'rounds') return;
    const curves = run.curves ?? [];
    const all = curveTitles.map(({ key, title }): ChartCurves => ({
      key,
      title,
      curves: curves.filter((c) => c.key === key).map((curve, colour) => ({
        label: curve.site || title, heading: heading(curve), colour, curve,
      })),
      ...(key === 'residual' ? { levels: (x: number[]) => levels(run, x) } : {}),
    }));
    const sums = curves.length > 0 && curves.every((c) => c.key === 'sum_seconds');
    this.charts.show(all, sums ? 'sum' : 'round');
  }
}

function heading(curve: Curve): string {
  return curve.site ? `residual ${curve.site}` : curve.key.replace(/_/g, ' ');
}

// Levels that residuals have to reach by the discrepancy rule.
function levels(run: RunDocument, x: number[]): Series[] {
  const s = Number(run.summary.options?.['stop.discrepancy'] ?? 0);
  if (!(s > 0)) return [];
  return siteSummaries(run.summary).flatMap((site, k): Series[] => {
    if (!site.full_scale) return [];
    const level = s * site.full_scale;
    const ends = [smallest(x), biggest(x)];
    return [{ label: `${site.name}: level`, x: ends, y: [level, level], colour: k, level: true }];
  });
}

function smallest(x: number[]): number {
  return x.reduce((a, b) => Math.min(a, b), Infinity);
}

function biggest(x: number[]): number {
  return x.reduce((a, b) => Math.max(a, b), -Infinity);
}
