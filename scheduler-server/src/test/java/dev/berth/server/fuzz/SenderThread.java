package dev.berth.server.fuzz;

import dev.berth.server.fuzz.ApiDescription.Operation;
import dev.berth.server.fuzz.FuzzConnection.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One of those who send at the same time: each of its seed sends the same bytes in the same order. */
public final class SenderThread implements Callable<AnswerCounts> {
    private static final int MAX_BATCH = 8;
    private static final int MAX_BATCH_BYTES = 1 << 16;
    private static final double BROKEN = 0.25;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (5[0-9][0-9]) ");

    private final HostileRequests requests;
    private final BrokenBytes broken;
    private final SplittableRandom random;
    private final List<Sender> senders;
    private final int wanted;
    private final AnswerCounts tally = new AnswerCounts();
    private final Map<Sender, FuzzConnection> connections = new HashMap<>();
    private volatile List<HostileRequest> underWay = List.of();
    private volatile int answered;

    /**
     * Not yet sending.
     *
     * @param wanted how many requests are to be answered
     */
    public SenderThread(
            ApiDescription api,
            SplittableRandom random,
            Map<String, List<String>> known,
            List<Sender> senders,
            int wanted) {
        this.random = random;
        this.requests = new HostileRequests(api, random, known);
        this.broken = new BrokenBytes(random);
        this.senders = senders;
        this.wanted = wanted;
    }

    /** How many requests were answered so far. */
    public int answered() {
        return answered;
    }

    /** What waits for its answer, for anyone who finds that nothing moves. */
    public List<HostileRequest> underWay() {
        return underWay;
    }

    @Override
    public AnswerCounts call() throws IOException {
        try {
            while (tally.total() < wanted) {
                Sender sender = senders.get(random.nextInt(senders.size()));
                if (random.nextDouble() < BROKEN) {
                    shout(sender);
                } else {
                    converse(sender);
                }
                answered = tally.total();
            }
            return tally;
        } finally {
            for (FuzzConnection connection : connections.values()) {
                connection.close();
            }
        }
    }

    /** Some requests at once over a connection that was there before. */
    private void converse(Sender sender) throws IOException {
        List<HostileRequest> batch = new ArrayList<>();
        int bytes = 0;
        int size = 1 + random.nextInt(MAX_BATCH);
        while (batch.size() < size
                && bytes < MAX_BATCH_BYTES
                && (batch.isEmpty() || !batch.getLast().isLast())) {
            HostileRequest request = requests.next(sender);
            batch.add(request);
            bytes += request.bytes().length;
        }
        underWay = List.copyOf(batch);
        FuzzConnection connection = connections.get(sender);
        if (connection == null || !connection.isOpen()) {
            if (connection != null) {
                connection.close();
            }
            connection = new FuzzConnection(sender.address());
            connections.put(sender, connection);
        }
        List<Answer> answers = connection.exchange(batch);
        for (int i = 0; i < answers.size(); i++) {
            judge(sender, batch.subList(0, i + 1), answers.get(i));
        }
    }

    private void judge(Sender sender, List<HostileRequest> sent, Answer answer) {
        HostileRequest request = sent.getLast();
        try {
            tally.add(request, answer);
            Verdict.check(request, answer);
            if (sender.isPowerless() && request.isChange() && answer.status() < 300) {
                throw new AssertionError("something was changed by one who may change nothing: " + answer.body());
            }
        } catch (AssertionError e) {
            tally.addFailure(
                    request.operation().name() + " " + answer.status(),
                    sender.name() + " sent " + request + "\n" + e.getMessage() + "\nover a connection that began with "
                            + sent.subList(0, sent.size() - 1));
        }
    }

    /** Bytes that nobody can answer well, and that nobody may change anything by. */
    private void shout(Sender sender) throws IOException {
        HostileRequest request = requests.next(sender);
        Operation operation = request.operation();
        if (HostileRequests.isStream(operation) || (operation.changes() && !sender.isPowerless())) {
            return;
        }
        HostileRequest bytes = broken.of(request);
        underWay = List.of(bytes);
        try (FuzzConnection connection = new FuzzConnection(sender.address())) {
            String back = connection.shout(bytes.bytes());
            Matcher failed = STATUS.matcher(back);
            while (failed.find()) {
                if (!failed.group(1).equals("505")) {
                    tally.addFailure(failed.group(), sender.name() + " sent " + bytes + "\nand was answered " + back);
                }
            }
            tally.addBroken(back.startsWith("HTTP/1.1 "));
        }
    }
}
