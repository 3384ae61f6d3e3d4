package dev.berth.server.fuzz;

import java.net.SocketAddress;

/**
 * Somebody who sends requests.
 *
 * @param address where to
 * @param host what the address is called in a request
 * @param token what says who they are, empty where nothing does
 * @param isPowerless whether nothing they send may change anything
 */
public record Sender(String name, SocketAddress address, String host, String token, boolean isPowerless) {}
