package dev.berth.core.api;

/**
 * What became of a test of a receiver.
 *
 * @param arrived whether it has what was sent
 * @param sentence what it said, or why it did not arrive
 */
public record TestedReceiver(ReceiverView receiver, boolean arrived, String sentence) {}
