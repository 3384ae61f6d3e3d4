/**
 * Notices of jobs for people and programs elsewhere: who is told of what ({@code NoticeReader}, by the events of jobs), the
 * outbox in the database, and the senders, one queue a receiver. What is asked for stands in {@code core.job}; how a request
 * names it, in {@code http}. Nothing here is in the way of the queue: events are read behind it, and what is written goes
 * through the loop in batches.
 */
@NullMarked
package dev.berth.server.notify;

import org.jspecify.annotations.NullMarked;
