package dev.berth.core.api;

import java.util.List;

/** The receivers of one user, the oldest first. */
public record ReceiverList(List<ReceiverView> receivers) {}
