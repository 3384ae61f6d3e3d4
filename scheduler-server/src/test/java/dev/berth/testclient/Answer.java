package dev.berth.testclient;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpTester;

/**
 * A whole answer.
 *
 * @param headers by their names in small letters
 */
public record Answer(int status, Map<String, String> headers, String text) {
    private static final ObjectMapper JSON = new ObjectMapper();

    static Answer of(Response response, byte[] body) {
        return of(response.getStatus(), response.getHeaders(), body);
    }

    static Answer of(HttpTester.Response response) {
        return of(response.getStatus(), response, response.getContentBytes());
    }

    private static Answer of(int status, HttpFields fields, byte[] body) {
        return new Answer(status, named(fields), new String(body, StandardCharsets.UTF_8));
    }

    static Map<String, String> named(HttpFields fields) {
        Map<String, String> headers = new TreeMap<>();
        fields.forEach(field -> headers.put(field.getLowerCaseName(), field.getValue()));
        return headers;
    }

    public String header(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }

    /** The body read as JSON; a failure of the test where it is none. */
    public JsonNode json() {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("not JSON: " + this, e);
        }
    }

    /** What kind of error it is. */
    public String code() {
        return json().path("code").asText();
    }

    public String message() {
        return json().path("message").asText();
    }

    /** The same, with this status. */
    public Answer expect(int wanted) {
        assertThat(status).as("%s", this).isEqualTo(wanted);
        return this;
    }
}
