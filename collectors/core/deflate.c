/* A zlib stream (RFC 1950) of one block with the fixed codes (RFC 1951, 3.2.6). What most profiles
 * have stands in the dictionary, and the rest is too short for codes of its own: they would take
 * more than they save. */
#include "deflate.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHORTEST = 4,
    LONGEST = 258
}; /* of a match: three bytes from as far away as the dictionary take no less than as they are */
enum { HASH_BITS = 13, CANDIDATES = 32 }; /* twice as many make a small profile 5 bytes smaller */

struct stream {
    unsigned char *out;
    size_t used, room;
    uint64_t bits;
    unsigned held;
};
struct match {
    unsigned length, distance;
};

/* Where four bytes of each hash were last, and for each place where those of its hash were before;
 * both plus 1, 0: nowhere. */
struct finder {
    const unsigned char *text;
    size_t size;
    uint16_t last[1 << HASH_BITS], before[DEFLATE_MOST];
};

/* Adler-32 (RFC 1950, 8). */
static uint32_t checksum(const unsigned char *text, size_t size)
{
    enum { BASE = 65521, BEFORE_OVERFLOW = 5552 };
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < size;) {
        for (const size_t stop = size - i < BEFORE_OVERFLOW ? size : i + BEFORE_OVERFLOW; i < stop;
             i++)
            high += low += text[i];
        low %= BASE;
        high %= BASE;
    }
    return high << 16 | low;
}

/* The least significant first. What finds no room is only counted. */
static void put_bits(struct stream *stream, unsigned value, unsigned count)
{
    stream->bits |= (uint64_t)value << stream->held;
    for (stream->held += count; stream->held >= 8;
         stream->held -= 8, stream->bits >>= 8, stream->used++)
        if (stream->used < stream->room)
            stream->out[stream->used] = (unsigned char)stream->bits;
}

/* Codes go the other way round, the most significant bit first. */
static void put_code(struct stream *stream, unsigned code, unsigned count)
{
    code = (code & 0x5555) << 1 | (code >> 1 & 0x5555);
    code = (code & 0x3333) << 2 | (code >> 2 & 0x3333);
    code = (code & 0x0F0F) << 4 | (code >> 4 & 0x0F0F);
    code = (code & 0x00FF) << 8 | code >> 8;
    put_bits(stream, code >> (16 - count), count);
}

/* A byte, the end (256), or a length. */
static void put_symbol(struct stream *stream, unsigned symbol)
{
    if (symbol < 144)
        put_code(stream, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(stream, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(stream, symbol - 256, 7);
    else
        put_code(stream, 0xC0 + symbol - 280, 8);
}

static unsigned highest_bit(unsigned value)
{
    return 31 - (unsigned)__builtin_clz(value);
}

/* What a code of a length spans doubles with every fourth, of a distance with every second (RFC
 * 1951, 3.2.5). */
static void put_match(struct stream *stream, struct match match)
{
    const unsigned length = match.length - 3, distance = match.distance - 1;
    const unsigned length_bits =
        length < 8 || match.length == LONGEST ? 0 : highest_bit(length) - 2;
    const unsigned distance_bits = distance < 4 ? 0 : highest_bit(distance) - 1;
    put_symbol(stream,
               match.length == LONGEST ? 285 : 257 + 4 * length_bits + (length >> length_bits));
    put_bits(stream, length & ((1u << length_bits) - 1), length_bits);
    put_code(stream, 2 * distance_bits + (distance >> distance_bits), 5);
    put_bits(stream, distance & ((1u << distance_bits) - 1), distance_bits);
}

static unsigned hash_of(const unsigned char *text)
{
    uint32_t four;
    memcpy(&four, text, sizeof four);
    return four * 0x9E3779B1u >> (32 - HASH_BITS);
}

static void remember(struct finder *finder, size_t at)
{
    if (finder->size - at < SHORTEST)
        return;
    uint16_t *last = &finder->last[hash_of(finder->text + at)];
    finder->before[at] = *last;
    *last = (uint16_t)(at + 1);
}

static unsigned equal_bytes(const unsigned char *one, const unsigned char *other, unsigned most)
{
    unsigned equal = 0;
    while (equal < most && one[equal] == other[equal])
        equal++;
    return equal;
}

/* The longest of the latest candidates, of several the nearest; length 0: there is none. */
static struct match find(const struct finder *finder, size_t at)
{
    struct match best = { 0, 0 };
    const unsigned most = finder->size - at < LONGEST ? (unsigned)(finder->size - at) : LONGEST;
    if (most < SHORTEST)
        return best;
    const unsigned char *const here = finder->text + at;
    size_t place = finder->last[hash_of(here)];
    for (int i = 0; i < CANDIDATES && best.length < most && place;
         i++, place = finder->before[place - 1]) {
        const unsigned char *const there = finder->text + place - 1;
        const unsigned length =
            there[best.length] == here[best.length] ? equal_bytes(there, here, most) : 0;
        if (length >= SHORTEST && length > best.length)
            best = (struct match){ length, (unsigned)(here - there) };
    }
    return best;
}

static void put_text(struct stream *stream, struct finder *finder, size_t at)
{
    while (at < finder->size) {
        const struct match match = find(finder, at);
        if (match.length)
            put_match(stream, match);
        else
            put_symbol(stream, finder->text[at]);
        for (const size_t end = at + (match.length ? match.length : 1); at < end; at++)
            remember(finder, at);
    }
}

static void put_checksum(struct stream *stream, const unsigned char *text, size_t size)
{
    const uint32_t sum = checksum(text, size);
    for (int shift = 24; shift >= 0; shift -= 8)
        put_bits(stream, sum >> shift & 0xFF, 8);
}

size_t deflated(const unsigned char *text, size_t known, size_t size, unsigned char *out,
                size_t room)
{
    enum { WITH_DICTIONARY = 0xBB78, LAST_AND_FIXED = 3, END = 256 };
    struct stream stream = { .out = out, .room = room };
    struct finder *finder = size <= DEFLATE_MOST ? malloc(sizeof *finder) : NULL;
    if (!finder)
        return 0;
    memset(finder->last, 0, sizeof finder->last);
    finder->text = text;
    finder->size = size;
    for (size_t at = 0; at < known; at++)
        remember(finder, at);
    put_bits(&stream, WITH_DICTIONARY, 16);
    put_checksum(&stream, text, known);
    put_bits(&stream, LAST_AND_FIXED, 3);
    put_text(&stream, finder, known);
    put_symbol(&stream, END);
    put_bits(&stream, 0, -stream.held % 8);
    put_checksum(&stream, text + known, size - known);
    free(finder);
    return stream.used <= room ? stream.used : 0;
}
