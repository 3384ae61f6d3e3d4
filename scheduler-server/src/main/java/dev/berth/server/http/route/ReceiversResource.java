package dev.berth.server.http.route;

import dev.berth.core.api.ReceiverList;
import dev.berth.core.api.ReceiverRequest;
import dev.berth.core.api.ReceiverView;
import dev.berth.core.api.TestedReceiver;
import dev.berth.core.job.Notification;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.submit.NotifyOptions;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.notify.Notifications;
import dev.berth.server.notify.NotifyRules;
import dev.berth.server.notify.Sent;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.Subscription;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** {@code /receivers}: who is told of all of one's jobs. Their secrets come in, and never go out. */
final class ReceiversResource {
    private static final int MAX_A_USER = 20;
    private static final String FIELD = "receiver";

    /** So many notices are removed in one commit: starts wait for no longer one. */
    private static final int NOTICES_A_PIECE = 250;

    private final Scheduling scheduling;
    private final JobQueries queries;
    private final Access access;
    private final Notifications notices;
    private final InstantSource clock;

    ReceiversResource(
            Scheduling scheduling, JobQueries queries, Access access, Notifications notices, InstantSource clock) {
        this.scheduling = scheduling;
        this.queries = queries;
        this.access = access;
        this.notices = notices;
        this.clock = clock;
    }

    void addTo(Router router) {
        router.add("POST", "/api/v1/receivers", (exchange, caller, _) -> add(exchange, caller));
        router.add("GET", "/api/v1/receivers", (exchange, caller, _) -> list(exchange, caller));
        router.add("DELETE", "/api/v1/receivers/{id}", this::remove);
        router.add("POST", "/api/v1/receivers/{id}/test", this::test);
    }

    private void add(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        access.requireSubmitter(caller);
        ReceiverRequest request = Json.read(exchange.body(), ReceiverRequest.class);
        Notification wish = NotifyOptions.wish(FIELD, request.receiver(), caller, notices.rules());
        Instant now = clock.instant();
        Subscription wanted =
                new Subscription(0, caller.uid(), caller.name(), wish.words(), wish.receiver(), now, 0, null, null);
        AtomicReference<Optional<Subscription>> kept = new AtomicReference<>(Optional.empty());
        JobsResource.await(scheduling.write(store -> kept.set(store.keepSubscription(wanted, MAX_A_USER))));
        Subscription subscription = kept.get()
                .orElseThrow(() -> ApiException.of(
                        409,
                        "TOO_MANY_RECEIVERS",
                        "you have " + MAX_A_USER + " receivers; remove some first: berth notify list, berth notify"
                                + " remove ID"));
        Json.answer(exchange, 201, view(subscription));
    }

    private void list(Exchange exchange, Caller caller) throws IOException {
        List<ReceiverView> receivers =
                queries.subscriptions(caller.uid()).stream().map(this::view).toList();
        Json.answer(exchange, 200, new ReceiverList(receivers));
    }

    private void remove(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        access.requireSubmitter(caller);
        Subscription subscription = own(caller, in);
        AtomicInteger removed = new AtomicInteger();
        do {
            JobsResource.await(
                    scheduling.write(store -> removed.set(store.deleteNotices(subscription, NOTICES_A_PIECE))));
        } while (removed.get() == NOTICES_A_PIECE);
        JobsResource.await(scheduling.write(store -> store.deleteSubscription(subscription)));
        Json.answer(exchange, 200, view(subscription));
    }

    private void test(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        access.requireSubmitter(caller);
        Subscription subscription = own(caller, in);
        Notification wish = NotifyOptions.wish(FIELD, subscription.wish().text(), caller, notices.rules());
        Sent sent = tested(caller, wish);
        Json.answer(
                exchange,
                200,
                switch (sent) {
                    case Sent.Arrived arrived -> new TestedReceiver(view(subscription), true, arrived.answer());
                    case Sent.Failed failed -> new TestedReceiver(view(subscription), false, failed.sentence());
                });
    }

    private Sent tested(Caller caller, Notification wish) throws InterruptedException {
        try {
            return notices.test(caller.user(), wish);
        } catch (Notifications.TooManyTestsException e) {
            throw ApiException.tooMuch(429, "TOO_MANY_TESTS", String.valueOf(e.getMessage()), e.again());
        }
    }

    private Subscription own(Caller caller, Map<String, String> in) {
        String id = in.getOrDefault("id", "");
        return queries.subscriptions(caller.uid()).stream()
                .filter(found -> Long.toString(found.id()).equals(id))
                .findFirst()
                .orElseThrow(() -> ApiException.of(
                        404,
                        "RECEIVER_NOT_FOUND",
                        "there is no such receiver of yours; berth notify list shows what there is"));
    }

    private ReceiverView view(Subscription subscription) {
        Instant sent = subscription.sentAt();
        return new ReceiverView(
                subscription.id(),
                subscription.user(),
                List.of(subscription.moments().split(",")),
                NotifyRules.shownReceiver(subscription.receiver()),
                subscription.madeAt().toString(),
                queries.waitingNotices(subscription.uid(), subscription.receiver()),
                sent == null ? null : sent.toString(),
                subscription.error());
    }
}
