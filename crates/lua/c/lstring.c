/*
** $Id: lstring.c,v 2.8.1.1 2007/12/27 13:02:25 roberto Exp $
** String table (keeps all strings handled by Lua)
** See Copyright Notice in lua.h
*/


#include <limits.h>
#include <stdint.h>
#include <string.h>

#define lstring_c
#define LUA_CORE

#include "lua.h"

#include "lmem.h"
#include "lobject.h"
#include "lstate.h"
#include "lstring.h"



void luaS_resize (lua_State *L, int newsize) {
  GCObject **newhash;
  stringtable *tb;
  int i;
  if (G(L)->gcstate == GCSsweepstring)
    return;  /* cannot resize during GC traverse */
  newhash = luaM_newvector(L, newsize, GCObject *);
  tb = &G(L)->strt;
  for (i=0; i<newsize; i++) newhash[i] = NULL;
  /* rehash */
  for (i=0; i<tb->size; i++) {
    GCObject *p = tb->hash[i];
    while (p) {  /* for each node in the list */
      GCObject *next = p->gch.next;  /* save next */
      unsigned int h = gco2ts(p)->hash;
      int h1 = lmod(h, newsize);  /* new position */
      lua_assert(cast_int(h%newsize) == lmod(h, newsize));
      p->gch.next = newhash[h1];  /* chain it */
      newhash[h1] = p;
      p = next;
    }
  }
  luaM_freearray(L, tb->hash, tb->size, TString *);
  tb->size = newsize;
  tb->hash = newhash;
}


static TString *newlstr (lua_State *L, const char *str, size_t l,
                                       unsigned int h) {
  TString *ts;
  stringtable *tb;
  if (l >= UINT_MAX - sizeof(TString))  /* Kvist: a length has 32 bits */
    luaM_toobig(L);
  ts = cast(TString *, luaM_malloc(L, (l+1)*sizeof(char)+sizeof(TString)));
  ts->tsv.len = cast(unsigned int, l);
  ts->tsv.hash = h;
  ts->tsv.placed = 0;
  ts->tsv.marked = luaC_white(G(L));
  ts->tsv.tt = LUA_TSTRING;
  ts->tsv.reserved = 0;
  memcpy(ts+1, str, l*sizeof(char));
  ((char *)(ts+1))[l] = '\0';  /* ending 0 */
  tb = &G(L)->strt;
  h = lmod(h, tb->size);
  ts->tsv.next = tb->hash[h];  /* chain new entry */
  tb->hash[h] = obj2gco(ts);
  tb->nuse++;
  if (tb->nuse > cast(lu_int32, tb->size) && tb->size <= MAX_INT/2)
    luaS_resize(L, tb->size*2);  /* too crowded */
  return ts;
}


/*
** Kvist: two hashes. Tables go by that of Redis, every byte of it, so that the order of keys is the
** same; it takes some four cycles a byte, one byte after the other, and is worked out for strings
** that become keys. The table of strings, which nobody sees, goes by one that is faster and, as it
** depends on where the state lies, not known beforehand.
*/
unsigned int luaS_findplace (TString *ts) {
  const char *str = getstr(ts);
  unsigned int l1 = ts->tsv.len;
  unsigned int h = l1;  /* seed */
  for (; l1 >= 1; l1--)
    h = h ^ ((h<<5)+(h>>2)+cast(unsigned char, str[l1-1]));
  ts->tsv.place = h;
  ts->tsv.placed = 1;
  return h;
}


static uint64_t eight (const char *str) {
  uint64_t n;
  memcpy(&n, str, sizeof(n));
  return n;
}


static uint64_t four (const char *str) {
  uint32_t n;
  memcpy(&n, str, sizeof(n));
  return n;
}


static uint64_t mix (uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  unsigned __int128 n = cast(unsigned __int128, a) * b;
  return cast(uint64_t, n) ^ cast(uint64_t, n >> 64);
#else
  uint64_t n = (a ^ (b << 32 | b >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
  return n ^ n >> 32;
#endif
}


static unsigned int hashbytes (lua_State *L, const char *str, size_t l) {
  const uint64_t seed = cast(uint64_t, cast(uintptr_t, G(L))) * UINT64_C(0x9E3779B97F4A7C15);
  const uint64_t other = seed ^ UINT64_C(0xD6E8FEB86659FD93);
  uint64_t h = seed ^ l;
  uint64_t a, b;
  if (l > 64) {  /* two that do not wait for each other */
    uint64_t g = other;
    do {
      h = mix(eight(str) ^ other, eight(str + 8) ^ h);
      g = mix(eight(str + 16) ^ seed, eight(str + 24) ^ g);
      str += 32;
      l -= 32;
    } while (l > 32);
    h ^= g;
  }
  while (l > 16) {
    h = mix(eight(str) ^ other, eight(str + 8) ^ h);
    str += 16;
    l -= 16;
  }
  if (l >= 8) {
    a = eight(str);
    b = eight(str + l - 8);
  }
  else if (l >= 4) {
    a = four(str);
    b = four(str + l - 4);
  }
  else if (l > 0) {
    a = cast(uint64_t, cast(unsigned char, str[0])) << 8 | cast(unsigned char, str[l / 2]);
    b = cast(unsigned char, str[l - 1]);
  }
  else a = b = 0;
  h = mix(a ^ other, b ^ h);
  return cast(unsigned int, h ^ h >> 32);
}


TString *luaS_newlstr (lua_State *L, const char *str, size_t l) {
  GCObject *o;
  unsigned int h = hashbytes(L, str, l);
  for (o = G(L)->strt.hash[lmod(h, G(L)->strt.size)];
       o != NULL;
       o = o->gch.next) {
    TString *ts = rawgco2ts(o);
    if (ts->tsv.hash == h && ts->tsv.len == l && (memcmp(str, getstr(ts), l) == 0)) {
      /* string may be dead */
      if (isdead(G(L), o)) changewhite(o);
      return ts;
    }
  }
  return newlstr(L, str, l, h);  /* not found */
}


Udata *luaS_newudata (lua_State *L, size_t s, Table *e) {
  Udata *u;
  if (s > MAX_SIZET - sizeof(Udata))
    luaM_toobig(L);
  u = cast(Udata *, luaM_malloc(L, s + sizeof(Udata)));
  u->uv.marked = luaC_white(G(L));  /* is not finalized */
  u->uv.tt = LUA_TUSERDATA;
  u->uv.len = s;
  u->uv.metatable = NULL;
  u->uv.env = e;
  /* chain it on udata list (after main thread) */
  u->uv.next = G(L)->mainthread->next;
  G(L)->mainthread->next = obj2gco(u);
  return u;
}

