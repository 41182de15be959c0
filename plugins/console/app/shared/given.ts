import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../frame/announce.ts';
import { answered, withQuery } from '../frame/api.ts';
import { onSubmit } from '../frame/call.ts';
import { html } from '../frame/html.ts';
import { Page } from '../frame/page.ts';
import { ApiProblem, asProblem } from '../frame/problem.ts';
import { useGet, useList } from '../frame/resource.ts';
import { go, hrefOf } from '../frame/router.ts';
import { useKnown, useScope } from '../frame/session.ts';
import { Chart } from '../parts/chart/chart.ts';
import { ApiCall, Code, Json } from '../parts/code.ts';
import { SelectField, TextField } from '../parts/field.ts';
import { later } from '../parts/later.ts';
import { ListTable } from '../parts/list-table.ts';
import { Empty, loaded, Loading, ProblemNote } from '../parts/notice.ts';
import { Status } from '../parts/status.ts';
import { Facts, Id, Table } from '../parts/table.ts';
import { durationOf, isoOf, localOf, Time } from '../parts/time.ts';
import { Verified } from '../parts/verified.ts';

/** What the first script gives to the second one, so that both have the same state. */
export const given = {
  ...{ useEffect, useRef, useState, announce, answered, withQuery, onSubmit, html, Page, ApiProblem, asProblem },
  ...{ useGet, useList, go, hrefOf, useKnown, useScope, Chart, ApiCall, SelectField, TextField, later, ListTable },
  ...{ Empty, loaded, Loading, ProblemNote, Status, Facts, Table, Time, Code, Json, durationOf, Verified },
  ...{ Id, isoOf, localOf },
};
