import { BarChart } from 'echarts/charts';
import { GridComponent, LegendComponent, MarkLineComponent, TitleComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Chart } from './chart.ts';

echarts.use([BarChart, GridComponent, LegendComponent, MarkLineComponent, TitleComponent, SVGRenderer]);

const size = { width: 760, height: 420 };
/** Told apart by people who do not see all colours; a subject has the same one in all charts. */
const colours: Readonly<Record<string, string>> = {
  '@locks': '#0072b2',
  '@locks/core': '#0072b2',
  '@locks/core + @locks/redis': '#56b4e9',
  verrou: '#e69f00',
  '@verrou/core': '#e69f00',
  'redis-semaphore': '#009e73',
  redlock: '#cc79a7',
  'sesamecare redlock': '#56b4e9',
  '@sesamecare-oss/redlock': '#882255',
  'redlock-universal': '#d55e00',
  '@locks over knex': '#56b4e9',
  '@locks without routines': '#d55e00',
  'advisory-lock': '#009e73',
  'pg-mutex-lock': '#cc79a7',
  'async-mutex': '#117733',
  'async-mutex, CommonJS': '#44aa99',
  'distributed-lock': '#cc79a7',
  Curator: '#e69f00',
  kazoo: '#009e73',
  from: '#0072b2',
  both: '#e69f00',
  to: '#009e73',
};
const otherColour = '#999999';

/** `chart` as the text of an SVG file. */
export function drawChart({ title, unit, log, line, groups }: Chart): string {
  const series = [...new Set(groups.flatMap(({ bars }) => bars.map((bar) => bar.series)))];
  const drawing = echarts.init(null, null, { renderer: 'svg', ssr: true, ...size });
  drawing.setOption({
    animation: false,
    backgroundColor: 'white',
    title: { text: title, subtext: unit, textStyle: { fontSize: 14 }, subtextStyle: { color: '#555' } },
    // Figures stand above the bars.
    grid: { left: 64, right: 12, top: 130, bottom: 84 },
    legend: { bottom: 0, left: 40, right: 40, itemGap: 24, itemWidth: 12 },
    xAxis: { type: 'category', data: groups.map(({ label }) => label) },
    yAxis: log === true ? { type: 'log', startValue: powerBelow(groups) } : { type: 'value' },
    series: series.map((name, index) => ({
      type: 'bar',
      name,
      itemStyle: { color: colours[name] ?? otherColour },
      // The figure, and its range where rounds were compared.
      label: { show: true, position: 'top', rotate: 90, align: 'left', verticalAlign: 'middle', fontSize: 9 },
      data: groups
        .map(({ bars }) => bars.find((bar) => bar.series === name))
        .map((bar) => ({
          value: bar?.value ?? Number.NaN,
          label: { formatter: labelOf(bar) },
        })),
      ...(index === 0 && line !== undefined ? { markLine: markLine(line) } : {}),
    })),
  });
  const svg = drawing.renderToSVGString();
  drawing.dispose();
  return `${svg}\n`;
}

/** The power of ten below all figures: where bars of a logarithmic chart begin. */
function powerBelow(groups: Chart['groups']): number {
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value)).filter((value) => value > 0);
  return 10 ** Math.floor(Math.log10(Math.min(...values)));
}

function labelOf(bar: Chart['groups'][number]['bars'][number] | undefined): string {
  if (bar === undefined) return '';
  const { value, low, high } = bar;
  return low === undefined || high === undefined ? short(value) : `${short(value)} [${short(low)}–${short(high)}]`;
}

function markLine(at: number): object {
  return { silent: true, symbol: 'none', label: { show: false }, lineStyle: { color: '#d00' }, data: [{ yAxis: at }] };
}

/** Three significant digits. */
function short(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 6 });
}
