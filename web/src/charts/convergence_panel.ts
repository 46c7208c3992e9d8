// ConvergencePanel: one chart for each quantity in the history of the run.
import { CurveCharts, curveTitles, noiseLine, type ChartCurves } from './curve_charts';
import type { Curve, RunDocument } from '../document';
import { residualTargetSeries } from './residual_targets';
import type { Change, Panel } from '../panel';

export class ConvergencePanel implements Panel {
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
      ...(key === 'residual'
        ? { references: (x: number[], time: boolean) => residualTargetSeries(run, x, time) } : {}),
      ...(key === 'fit' ? { references: (x: number[]) => [noiseLine(x)] } : {}),
    }));
    const sums = curves.length > 0 && curves.every((c) => c.key === 'sum_seconds');
    this.charts.show(all, sums ? 'sum' : 'round');
  }
}

function heading(curve: Curve): string {
  return `${curve.key.replace(/_/g, ' ')} ${curve.site}`.trim();
}
