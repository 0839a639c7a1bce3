-- What is asked of a store. Each statement has a line above it that names it.
--
-- The tables jobs, findings, operations, settings, hosts and verified are the Parquet files of the
-- store; advisor/fleet/tables.py says what their columns mean. $name stands for a value.
--
-- All of it runs alike on DuckDB, ClickHouse and PostgreSQL (tests/fleet/test_engines.py). So: no
-- medians, no FILTER, no date arithmetic, no table joined, no alias that is also a column's name.
-- `user` and `partition` are reserved words and therefore user_name and partition_name.
--
-- Node hours that findings lose, and those of them that are recoverable, may be added up: each
-- second of a job belongs to one finding at most. What a remedy saves by itself (saved_low,
-- saved_high) may not: remedies of one job share time. What comes first is what can be recovered.

-- view losses: findings that own time
CREATE VIEW losses AS
SELECT * FROM findings WHERE lost > 0;

-- query totals: distinct names by groups, since DISTINCT keeps millions of names in memory
SELECT count(*) AS jobs_run,
       (SELECT count(*) FROM (SELECT user_name FROM jobs
            WHERE day >= $since AND day < $until AND user_name IS NOT NULL
            GROUP BY user_name) AS one_user) AS users_seen,
       (SELECT count(*) FROM (SELECT application FROM jobs
            WHERE day >= $since AND day < $until AND application IS NOT NULL
            GROUP BY application) AS one_application) AS applications_seen,
       coalesce(sum(node_hours), 0) AS hours,
       coalesce(sum(lost), 0) AS lost_hours,
       coalesce(sum(lost_low), 0) AS lost_least,
       coalesce(sum(lost_high), 0) AS lost_most,
       coalesce(sum(recoverable), 0) AS recoverable_hours,
       coalesce(sum(recoverable_low), 0) AS recoverable_least,
       coalesce(sum(recoverable_high), 0) AS recoverable_most,
       coalesce(sum(node_hours * watts), 0) AS watt_hours,
       coalesce(sum(CASE WHEN watts IS NULL THEN node_hours ELSE 0 END), 0) AS unmetered_hours,
       coalesce(sum(node_hours * wait_share), 0) AS wait_hours,
       coalesce(sum(node_hours * watts * wait_share), 0) AS wait_watt_hours,
       coalesce(sum(CASE WHEN watts IS NULL THEN node_hours * wait_share ELSE 0 END), 0)
           AS unmetered_wait_hours,
       count(watts) AS jobs_with_energy,
       coalesce(sum(CASE WHEN energy_fault <> '' THEN 1 ELSE 0 END), 0) AS jobs_with_faults,
       coalesce(sum(CASE WHEN started_from = 'sacct' THEN 1 ELSE 0 END), 0) AS jobs_accounted,
       min(day) AS first_day,
       max(day) AS last_day
FROM jobs WHERE day >= $since AND day < $until;

-- query causes: rules by the node hours that may be saved. Headings are titles without the numbers
-- of one job, which stand behind a colon
SELECT rule,
       CASE WHEN position(': ' IN min(title)) = 0 THEN min(title)
            ELSE substr(min(title), 1, position(': ' IN min(title)) - 1) END AS heading,
       count(*) AS jobs_hit,
       count(DISTINCT user_name) AS users_hit,
       sum(lost) AS lost_hours,
       sum(lost_low) AS lost_least,
       sum(lost_high) AS lost_most,
       sum(recoverable) AS recoverable_hours,
       sum(recoverable_low) AS recoverable_least,
       sum(recoverable_high) AS recoverable_most,
       sum(CASE WHEN state = 'you can do this' THEN recoverable ELSE 0 END) AS doable_hours,
       coalesce(sum(lost * watts), 0) AS lost_watt_hours,
       sum(CASE WHEN watts IS NULL THEN lost ELSE 0 END) AS unmetered_hours
FROM losses WHERE day >= $since AND day < $until
GROUP BY rule ORDER BY recoverable_hours DESC, lost_hours DESC, rule LIMIT 50;

-- query older: jobs before these days
SELECT count(*) AS jobs_run FROM jobs WHERE day < $since;

-- query older_of_user
SELECT count(*) AS jobs_run FROM jobs WHERE day < $since AND user_name = $name;

-- query older_of_application
SELECT count(*) AS jobs_run FROM jobs WHERE day < $since AND application = $name;

-- query older_of_host
SELECT count(*) AS jobs_run FROM hosts WHERE day < $since AND host = $name;

-- query older_of_rule
SELECT count(*) AS jobs_run FROM losses WHERE day < $since AND rule = $name;

-- query applications
SELECT application AS name,
       count(*) AS jobs_run,
       count(DISTINCT user_name) AS users_seen,
       sum(node_hours) AS hours,
       sum(lost) AS lost_hours,
       sum(lost_low) AS lost_least,
       sum(lost_high) AS lost_most,
       sum(recoverable) AS recoverable_hours,
       sum(recoverable_low) AS recoverable_least,
       sum(recoverable_high) AS recoverable_most,
       coalesce(sum(lost * watts), 0) AS lost_watt_hours,
       sum(CASE WHEN watts IS NULL THEN lost ELSE 0 END) AS unmetered_hours
FROM jobs WHERE day >= $since AND day < $until
GROUP BY application ORDER BY recoverable_hours DESC, lost_hours DESC, name LIMIT 50;

-- query users
SELECT user_name AS name,
       count(*) AS jobs_run,
       count(DISTINCT application) AS applications_seen,
       sum(node_hours) AS hours,
       sum(lost) AS lost_hours,
       sum(lost_low) AS lost_least,
       sum(lost_high) AS lost_most,
       sum(recoverable) AS recoverable_hours,
       sum(recoverable_low) AS recoverable_least,
       sum(recoverable_high) AS recoverable_most,
       coalesce(sum(lost * watts), 0) AS lost_watt_hours,
       sum(CASE WHEN watts IS NULL THEN lost ELSE 0 END) AS unmetered_hours
FROM jobs WHERE day >= $since AND day < $until
GROUP BY user_name ORDER BY recoverable_hours DESC, lost_hours DESC, name LIMIT 50;

-- query accounts
SELECT account AS name,
       count(*) AS jobs_run,
       count(DISTINCT user_name) AS users_seen,
       sum(node_hours) AS hours,
       sum(lost) AS lost_hours,
       sum(lost_low) AS lost_least,
       sum(lost_high) AS lost_most,
       sum(recoverable) AS recoverable_hours,
       sum(recoverable_low) AS recoverable_least,
       sum(recoverable_high) AS recoverable_most,
       coalesce(sum(lost * watts), 0) AS lost_watt_hours,
       sum(CASE WHEN watts IS NULL THEN lost ELSE 0 END) AS unmetered_hours
FROM jobs WHERE day >= $since AND day < $until AND account <> ''
GROUP BY account ORDER BY recoverable_hours DESC, lost_hours DESC, name LIMIT 50;

-- query libraries
SELECT library AS name,
       library_version AS version,
       count(*) AS jobs_run,
       count(DISTINCT user_name) AS users_seen,
       sum(node_hours) AS hours,
       sum(lost) AS lost_hours,
       sum(lost_low) AS lost_least,
       sum(lost_high) AS lost_most,
       sum(recoverable) AS recoverable_hours,
       sum(recoverable_low) AS recoverable_least,
       sum(recoverable_high) AS recoverable_most,
       coalesce(sum(lost * watts), 0) AS lost_watt_hours,
       sum(CASE WHEN watts IS NULL THEN lost ELSE 0 END) AS unmetered_hours
FROM jobs WHERE day >= $since AND day < $until
GROUP BY library, library_version
ORDER BY recoverable_hours DESC, lost_hours DESC, name, version LIMIT 50;

-- query weeks: how much ran, and how much of it was lost
SELECT week,
       count(*) AS jobs_run,
       sum(node_hours) AS hours,
       sum(lost) AS lost_hours
FROM jobs WHERE week >= $first AND week <= $last
GROUP BY week ORDER BY week;

-- query changed_rules: node hours of two weeks
SELECT rule,
       CASE WHEN position(': ' IN min(title)) = 0 THEN min(title)
            ELSE substr(min(title), 1, position(': ' IN min(title)) - 1) END AS heading,
       sum(CASE WHEN week = $last THEN lost ELSE 0 END) AS hours_now,
       sum(CASE WHEN week = $first THEN lost ELSE 0 END) AS hours_before,
       sum(CASE WHEN week = $last THEN 1 ELSE 0 END) AS jobs_now,
       sum(CASE WHEN week = $first THEN 1 ELSE 0 END) AS jobs_before
FROM losses WHERE week = $first OR week = $last
GROUP BY rule ORDER BY rule;

-- query changed_applications: of applications and the library below them, in two weeks
SELECT application AS name,
       library,
       library_version AS version,
       sum(CASE WHEN week = $last THEN node_hours ELSE 0 END) AS hours_now,
       sum(CASE WHEN week = $first THEN node_hours ELSE 0 END) AS hours_before,
       sum(CASE WHEN week = $last THEN lost ELSE 0 END) AS lost_now,
       sum(CASE WHEN week = $first THEN lost ELSE 0 END) AS lost_before,
       sum(CASE WHEN week = $last THEN 1 ELSE 0 END) AS jobs_now,
       sum(CASE WHEN week = $first THEN 1 ELSE 0 END) AS jobs_before
FROM jobs WHERE week = $first OR week = $last
GROUP BY application, library, library_version ORDER BY name, library, version;

-- query operations
SELECT operation AS name,
       count(*) AS jobs_run,
       sum(node_hours) AS hours,
       sum(calls) AS calls_made
FROM operations WHERE day >= $since AND day < $until
GROUP BY operation ORDER BY hours DESC, name LIMIT 20;

-- query lateness: hosts of jobs, for what follows a host over jobs of many users; in no order,
-- since millions of rows are read a part at a time
SELECT host, user_name, application, profile, hosts, place, lateness
FROM hosts WHERE day >= $since AND day < $until AND lateness IS NOT NULL;

-- query verified: what trials said of advice
SELECT rules AS name,
       verdict,
       count(*) AS trials,
       avg(effect) AS mean_effect
FROM verified WHERE day >= $since AND day < $until
GROUP BY rules, verdict ORDER BY name, verdict LIMIT 50;

-- query jobs_of_user
SELECT cluster, job, step, day, application, library, nodes, node_hours, lost,
       recoverable, recoverable_low, recoverable_high, findings, state
FROM jobs WHERE day >= $since AND day < $until AND user_name = $name
ORDER BY recoverable DESC, lost DESC, cluster, job, step LIMIT 20;

-- query causes_of_user
SELECT rule,
       CASE WHEN position(': ' IN min(title)) = 0 THEN min(title)
            ELSE substr(min(title), 1, position(': ' IN min(title)) - 1) END AS heading,
       count(*) AS jobs_hit, sum(lost) AS lost_hours,
       sum(lost_low) AS lost_least, sum(lost_high) AS lost_most,
       sum(recoverable) AS recoverable_hours, sum(recoverable_low) AS recoverable_least,
       sum(recoverable_high) AS recoverable_most
FROM losses WHERE day >= $since AND day < $until AND user_name = $name
GROUP BY rule ORDER BY recoverable_hours DESC, lost_hours DESC, rule LIMIT 20;

-- query users_of_application
SELECT user_name AS name, count(*) AS jobs_run, sum(node_hours) AS hours, sum(lost) AS lost_hours,
       sum(recoverable) AS recoverable_hours, sum(recoverable_low) AS recoverable_least,
       sum(recoverable_high) AS recoverable_most
FROM jobs WHERE day >= $since AND day < $until AND application = $name
GROUP BY user_name ORDER BY recoverable_hours DESC, lost_hours DESC, name LIMIT 20;

-- query causes_of_application
SELECT rule,
       CASE WHEN position(': ' IN min(title)) = 0 THEN min(title)
            ELSE substr(min(title), 1, position(': ' IN min(title)) - 1) END AS heading,
       count(*) AS jobs_hit, sum(lost) AS lost_hours,
       sum(lost_low) AS lost_least, sum(lost_high) AS lost_most,
       sum(recoverable) AS recoverable_hours, sum(recoverable_low) AS recoverable_least,
       sum(recoverable_high) AS recoverable_most
FROM losses WHERE day >= $since AND day < $until AND application = $name
GROUP BY rule ORDER BY recoverable_hours DESC, lost_hours DESC, rule LIMIT 20;

-- query users_of_rule
SELECT user_name AS name, application, count(*) AS jobs_hit, sum(lost) AS lost_hours,
       sum(lost_low) AS lost_least, sum(lost_high) AS lost_most,
       sum(recoverable) AS recoverable_hours, sum(recoverable_low) AS recoverable_least,
       sum(recoverable_high) AS recoverable_most
FROM losses WHERE day >= $since AND day < $until AND rule = $name
GROUP BY user_name, application
ORDER BY recoverable_hours DESC, lost_hours DESC, name, application LIMIT 20;

-- query jobs_of_rule
SELECT cluster, job, step, day, user_name, application, lost, lost_low, lost_high,
       recoverable, recoverable_low, recoverable_high, confidence
FROM losses WHERE day >= $since AND day < $until AND rule = $name
ORDER BY recoverable DESC, lost DESC, cluster, job, step LIMIT 20;

-- query jobs_of_host
SELECT cluster, job, step, day, user_name, application, place, hosts, lateness
FROM hosts WHERE day >= $since AND day < $until AND host = $name
ORDER BY day DESC, cluster, job, step LIMIT 20;

-- query job
SELECT cluster, job, step, day, user_name, account, application, library, library_version, nodes,
       ranks, elapsed, node_hours, watts, energy_source, energy_fault, state, lost, lost_low,
       lost_high, recoverable, recoverable_low, recoverable_high, profile
FROM jobs WHERE job = $name ORDER BY cluster, job, step LIMIT 50;

-- query findings_of_job
SELECT cluster, step, place, rule, title, state, confidence, basis, lost, lost_low, lost_high,
       recoverable, recoverable_low, recoverable_high
FROM findings WHERE job = $name ORDER BY cluster, step, place LIMIT 200;

-- query worst_jobs
SELECT cluster, job, step, day, user_name, account, application, library, nodes, node_hours, lost,
       lost_low, lost_high, recoverable, recoverable_low, recoverable_high
FROM jobs WHERE day >= $since AND day < $until
ORDER BY recoverable DESC, lost DESC, cluster, job, step LIMIT 50;

-- query jobs_to_hand_over: all of these days, as advisor/fleet/handing_over passes them on
SELECT cluster, job, step, profile, day, started, elapsed, user_name, account, partition_name,
       application, library, library_version, state, exit_code, ranks, nodes, node_hours, energy,
       mpi_share, wait_share, load_balance, parallel_efficiency, lost, lost_low, lost_high
FROM jobs WHERE day >= $since AND day < $until
ORDER BY cluster, job, step, profile;

-- query findings_to_hand_over: of the same jobs, in the same order
SELECT cluster, job, step, profile, rule, title, state, lost, lost_low, lost_high, recoverable
FROM findings WHERE day >= $since AND day < $until
ORDER BY cluster, job, step, profile, place;

-- query series_jobs: what ran again and again, for what changed with a library or a setting
SELECT profile, day, cluster, partition_name, user_name, application, nodes, ranks, work,
       elapsed, library, library_version
FROM jobs WHERE day >= $since AND day < $until AND elapsed > 0 AND work <> ''
ORDER BY started, profile;

-- query series_settings: settings of these jobs
SELECT profile, name AS setting, value AS chosen
FROM settings WHERE day >= $since AND day < $until AND source <> 'launcher'
ORDER BY profile, setting;

-- query findings_of_users: for mails
SELECT user_name, rule, application,
       CASE WHEN position(': ' IN min(title)) = 0 THEN min(title)
            ELSE substr(min(title), 1, position(': ' IN min(title)) - 1) END AS heading,
       count(*) AS jobs_hit,
       sum(lost) AS lost_hours, sum(lost_low) AS lost_least, sum(lost_high) AS lost_most,
       sum(recoverable) AS recoverable_hours, sum(recoverable_low) AS recoverable_least,
       sum(recoverable_high) AS recoverable_most, max(day) AS last_day
FROM losses WHERE day >= $since AND day < $until
GROUP BY user_name, rule, application
ORDER BY user_name, recoverable_hours DESC, lost_hours DESC, rule, application;

-- query worst_job: the one that shows a finding best
SELECT profile, cluster, job, step, lost, recoverable
FROM losses WHERE day >= $since AND day < $until AND user_name = $name AND rule = $rule
AND application = $application
ORDER BY recoverable DESC, lost DESC, profile LIMIT 1;

-- query followed: jobs of a user's application since a day
SELECT count(*) AS jobs_run
FROM jobs WHERE day >= $since AND day < $until AND user_name = $name
AND application = $application;

-- query ran_and_lost: node hours of a user's jobs of an application, and those that a rule lost in
-- them. Steps of a job are one job; without a batch system all have the number 0
SELECT cluster, one_job, sum(ran) AS hours, sum(gone) AS lost_hours
FROM (SELECT cluster, CASE WHEN job = '0' THEN profile ELSE job END AS one_job,
             node_hours AS ran, 0 * node_hours AS gone
      FROM jobs WHERE day >= $since AND day < $until AND user_name = $name
      AND application = $application
      UNION ALL
      SELECT cluster, CASE WHEN job = '0' THEN profile ELSE job END AS one_job,
             0 * lost AS ran, lost AS gone
      FROM losses WHERE day >= $since AND day < $until AND user_name = $name AND rule = $rule
      AND application = $application) AS one_or_other
GROUP BY cluster, one_job HAVING sum(ran) > 0 ORDER BY cluster, one_job;

-- query verified_rules: of users, what trials proved better
SELECT user_name, rules, max(day) AS last_day
FROM verified WHERE day >= $since AND day < $until AND verdict = 'better'
GROUP BY user_name, rules ORDER BY user_name, rules;

-- query users_seen: who ran jobs
SELECT user_name, sum(node_hours) AS hours FROM jobs WHERE day >= $since AND day < $until
GROUP BY user_name ORDER BY user_name;

-- query verified_settings: what trials said of settings
SELECT profile, cluster, job, step, user_name, application, rules, settings, verdict, pairs,
       effect, effect_low, effect_high
FROM verified WHERE day >= $since AND day < $until AND settings <> ''
ORDER BY profile, settings, verdict;
