// What Grafana makes of a dashboard in a browser, by its own code for scenes and transformations.
// Reads the time, the values of variables, texts to fill in, and columns with the options that
// organise them; writes the texts and the headings of the columns that are shown.
const fs = require('fs');
const { JSDOM } = require('jsdom');

for (const kind of ['.css', '.svg']) require.extensions[kind] = () => {};
const { window } = new JSDOM('', { url: 'http://localhost/' });
class Nothing { observe() {} disconnect() {} }
Object.assign(window, {
  ResizeObserver: Nothing,
  IntersectionObserver: Nothing,
  matchMedia: () => ({ matches: false, addListener() {}, addEventListener() {} }),
});
for (const name of Object.getOwnPropertyNames(window)) {
  if (!(name in globalThis)) globalThis[name] = window[name];
}
Object.assign(globalThis, { window, Event: window.Event, CustomEvent: window.CustomEvent });
const data = require('@grafana/data');
const scenes = require('@grafana/scenes');
const { lastValueFrom } = require('rxjs');

const { from, to, chosen, texts, tables } = JSON.parse(fs.readFileSync(0, 'utf8'));
const scene = new scenes.EmbeddedScene({
  $timeRange: new scenes.SceneTimeRange({ from, to, timeZone: 'utc' }),
  $variables: new scenes.SceneVariableSet({
    variables: Object.entries(chosen).map(
      ([name, value]) => new scenes.TestVariable({ name, value, text: value })),
  }),
});
const organize = data.standardTransformers.organizeFieldsTransformer;
data.standardTransformersRegistry.setInit(() => [
  { id: organize.id, name: organize.name, transformation: async () => organize },
]);

async function headings({ columns, transformations }) {
  const frame = data.toDataFrame({ fields: columns.map((name) => ({ name, values: [1] })) });
  const [shown] = await lastValueFrom(data.transformDataFrame(transformations, [frame]));
  return shown.fields.map((field) => data.getFieldDisplayName(field, shown, [shown]));
}

(async () => {
  const answer = {
    texts: texts.map((text) => scenes.sceneGraph.interpolate(scene, text)),
    headings: await Promise.all(tables.map(headings)),
  };
  process.stdout.write(JSON.stringify(answer), () => process.exit(0));
})();
