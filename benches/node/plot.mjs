// Draws curves on logarithmic axes as an SVG for light and dark pages. On such axes, linear growth is
// parallel to the dashed line, and faster growth crosses it.

const WIDTH = 760;
const [LEFT, TOP, RIGHT, BOTTOM] = [56, 12, 740, 400];
const COLOURS = [
  '#2563eb',
  '#db2777',
  '#059669',
  '#d97706',
  '#7c3aed',
  '#0891b2',
  '#dc2626',
  '#65a30d',
];
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** @param {{ name: string, points: [number, number][] }[]} curves - Sizes and milliseconds. */
export const plot = (curves) => {
  const all = curves.flatMap(({ points }) => points);
  const decades = (values) => [
    Math.floor(Math.log10(Math.min(...values))),
    Math.ceil(Math.log10(Math.max(...values))),
  ];
  const [x0, x1] = decades(all.map(([size]) => size));
  const [y0, y1] = decades(all.map(([, ms]) => ms));
  const x = (size) => LEFT + ((Math.log10(size) - x0) / (x1 - x0)) * (RIGHT - LEFT);
  const y = (ms) => BOTTOM - ((Math.log10(ms) - y0) / (y1 - y0)) * (BOTTOM - TOP);
  const line = (a, b, kind) =>
    `<line class="${kind}" x1="${x(a[0]).toFixed(1)}" y1="${y(a[1]).toFixed(1)}" x2="${x(b[0]).toFixed(1)}" y2="${y(b[1]).toFixed(1)}"/>`;
  const out = [];
  for (let e = x0; e <= x1; e++) {
    out.push(line([10 ** e, 10 ** y0], [10 ** e, 10 ** y1], 'grid'));
    out.push(`<text x="${x(10 ** e)}" y="${BOTTOM + 16}" text-anchor="middle">${10 ** e}</text>`);
  }
  for (let e = y0; e <= y1; e++) {
    out.push(line([10 ** x0, 10 ** e], [10 ** x1, 10 ** e], 'grid'));
    out.push(
      `<text x="${LEFT - 6}" y="${y(10 ** e) + 4}" text-anchor="end">${Number((10 ** e).toPrecision(1))} ms</text>`,
    );
  }
  // Linear growth: as many decades of time as of size.
  const rise = Math.min(x1 - x0, y1 - y0);
  out.push(line([10 ** x0, 10 ** y0], [10 ** (x0 + rise), 10 ** (y0 + rise)], 'linear'));
  curves.forEach(({ name, points }, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const path = points.map(([size, ms]) => `${x(size).toFixed(1)},${y(ms).toFixed(1)}`);
    out.push(`<polyline stroke="${colour}" points="${path.join(' ')}"/>`);
    for (const point of path) {
      const [cx, cy] = point.split(',');
      out.push(`<circle fill="${colour}" cx="${cx}" cy="${cy}" r="3"/>`);
    }
    const row = BOTTOM + 44 + 18 * i;
    out.push(`<rect fill="${colour}" x="${LEFT}" y="${row - 9}" width="14" height="4"/>`);
    out.push(`<text x="${LEFT + 22}" y="${row - 3}">${escaped(name)}</text>`);
  });
  const end = BOTTOM + 44 + 18 * curves.length;
  out.push(
    `<line class="linear" x1="${LEFT}" y1="${end - 7}" x2="${LEFT + 14}" y2="${end - 7}"/>`,
    `<text x="${LEFT + 22}" y="${end - 3}">linear</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${end + 8}" font-family="system-ui, sans-serif" font-size="12">
<style>
text { fill: #4b5563 } .grid { stroke: #9ca3af; stroke-opacity: .35 } .linear { stroke: #6b7280; stroke-dasharray: 5 4 }
polyline { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) { text { fill: #d1d5db } .linear { stroke: #d1d5db } }
</style>
${out.filter(Boolean).join('\n')}
</svg>
`;
};
