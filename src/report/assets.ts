// What a page contains besides its data.

import charts from 'uplot/dist/uPlot.min.css?text';
import base from '../../templates/report/base.css?text';
import json from '../../templates/report/json.css?text';
import list from '../../templates/report/list.css?text';
import overview from '../../templates/report/overview.css?text';
import script from '../../templates/report/report.js?script';
import rollout from '../../templates/report/rollout.css?text';

export const SCRIPT = script;
export const STYLE = [charts, base, overview, list, rollout, json].join('\n');
