package dev.berth.core.api;

/**
 * The wish to have a receiver told of all one's jobs. It may hold a secret, so that its text has nothing of it.
 *
 * @param receiver moments and where, as in {@code end,fail:https://example.org/hook}
 */
public record ReceiverRequest(String receiver) {
    @Override
    public String toString() {
        return "ReceiverRequest[...]";
    }
}
