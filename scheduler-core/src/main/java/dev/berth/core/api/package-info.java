/**
 * The records that travel over the API, shared by server and command line so that both mean the same. Plain values
 * only: strings, numbers, lists, maps. Times are ISO-8601 in UTC, durations seconds, sizes MiB where the name says so.
 * Above 25 classes because each answer and each request has one, and none knows more than those it holds.
 */
@NullMarked
package dev.berth.core.api;

import org.jspecify.annotations.NullMarked;
