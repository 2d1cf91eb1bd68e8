//! What commands on documents ask of their host, asked of the server.
//!
//! Keys are opened for what the command's flags say and closed at once: until the next call of the
//! server nothing moves a value. What changes is signalled here and not by closing, as a look that
//! only changes how a value is kept is no change for any client.

use std::ffi::c_int;
use std::ptr::NonNull;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use base::{
    Class, CmdError, DataType, Deadline, Flag, Holds, Key, Keyspace, Millis, PackLimits, Rng, Spec,
    error,
};
use redis_module::key::{RedisKeyWritable, verify_type};
use redis_module::{Context, NotifyEvent, RedisString, raw};
use types::{Contexts, Json, JsonTools};

use crate::value::JSON;
use crate::{Ctx, random};

static CONTEXTS: LazyLock<Mutex<Contexts>> = LazyLock::new(|| Mutex::new(Contexts::new(random())));

/// What values share. Not to be held while the server is called.
pub fn contexts() -> MutexGuard<'static, Contexts> {
    CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The server, for one request.
pub struct Host {
    ctx: Ctx,
    writes: bool,
    rng: Rng,
    events: Vec<(Class, &'static str, RedisString)>,
}

impl Host {
    /// For a request of a command.
    pub fn new(ctx: &Context, spec: &Spec) -> Self {
        let writes = spec.flags.contains(&Flag::Write);
        Host { ctx: ctx.get_raw(), writes, rng: Rng::new(random()), events: Vec::new() }
    }

    /// Tells what has happened, now that other modules that hear it may send requests.
    pub fn tell(self) {
        for (class, event, key) in self.events {
            // Classes have the order that they have in Redis, `New` apart, which no command tells.
            let class = NotifyEvent::from_bits_truncate(4 << class as c_int);
            Context::new(self.ctx).notify_keyspace_event(class, event, &key);
        }
    }

    fn name(&self, key: Key<'_>) -> RedisString {
        RedisString::create_from_slice(self.ctx, key.bytes)
    }

    fn find(&self, key: Key<'_>) -> Result<Option<NonNull<Json>>, CmdError> {
        let write = if self.writes { raw::KeyMode::WRITE } else { raw::KeyMode::empty() };
        let opened = raw::open_key(self.ctx, self.name(key).inner, raw::KeyMode::READ | write);
        let is_json = verify_type(opened, &JSON);
        // SAFETY: the key is open; one that is missing has no value.
        let value = unsafe { raw::RedisModule_ModuleTypeGetValue.map(|get| get(opened)) };
        raw::close_key(opened);
        let value = value.and_then(|value| NonNull::new(value.cast()));
        is_json.map(|_| value).map_err(|_| error::WRONG_TYPE)
    }

    fn changed(&self, key: Key<'_>) {
        let name = self.name(key);
        // SAFETY: the context is that of the request.
        unsafe { raw::RedisModule_SignalModifiedKey.map(|tell| tell(self.ctx, name.inner)) };
    }
}

impl Keyspace for Host {
    fn now(&self) -> Millis {
        // SAFETY: it takes nothing.
        unsafe { raw::RedisModule_Milliseconds.map_or(0, |now| now().cast_unsigned()) }
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn limits(&self) -> PackLimits {
        PackLimits::default()
    }

    fn set_deadline(&mut self, key: Key<'_>, deadline: Option<Millis>) -> bool {
        let at = deadline.map_or(raw::REDISMODULE_NO_EXPIRE.into(), Millis::cast_signed);
        let opened = raw::open_key(self.ctx, self.name(key).inner, raw::KeyMode::WRITE);
        // SAFETY: the key is open, for writing.
        let set = unsafe { raw::RedisModule_SetAbsExpire.map(|set| set(opened, at)) };
        raw::close_key(opened);
        self.changed(key);
        set == Some(raw::Status::Ok as c_int)
    }

    fn remove(&mut self, key: Key<'_>, lazy: bool) -> bool {
        let opened = RedisKeyWritable::open(self.ctx, &self.name(key));
        let existed = !opened.is_empty();
        // Neither ever says that it has not worked.
        let _ = if lazy { opened.unlink() } else { opened.delete() };
        self.changed(key);
        existed
    }

    fn notify(&mut self, class: Class, event: &'static str, key: Key<'_>) {
        self.events.push((class, event, self.name(key)));
    }

    fn notify_taken(&mut self, class: Class, event: &'static str, key: Key<'_>) {
        self.notify(class, event, key);
        if self.find(key) == Ok(None) {
            self.notify(Class::Generic, "del", key);
        }
    }
}

impl Holds<Json> for Host {
    fn peek(&self, key: Key<'_>) -> Result<Option<&Json>, CmdError> {
        // SAFETY: it lives until something is changed, for which this host has to be mutable.
        Ok(self.find(key)?.map(|json| unsafe { json.as_ref() }))
    }

    fn try_edit<R>(
        &mut self,
        key: Key<'_>,
        edit: impl FnOnce(&mut Json) -> Option<R>,
    ) -> Result<Option<R>, CmdError> {
        let result = self.reshape(key, |json| edit(json).map(|result| (result, json.is_empty())));
        let Some((result, is_empty)) = result?.flatten() else { return Ok(None) };
        self.changed(key);
        if is_empty {
            self.remove(key, true);
        }
        Ok(Some(result))
    }

    fn reshape<R>(
        &mut self,
        key: Key<'_>,
        reshape: impl FnOnce(&mut Json) -> R,
    ) -> Result<Option<R>, CmdError> {
        // SAFETY: nothing else has it while this host is borrowed.
        Ok(self.find(key)?.map(|mut json| reshape(unsafe { json.as_mut() })))
    }

    fn put(&mut self, key: Key<'_>, value: Json, deadline: Deadline) {
        if value.is_empty() {
            self.remove(key, true);
            return;
        }
        // A value of the same type is replaced where it is, and its deadline stays.
        if let Ok(Some(mut there)) = self.find(key) {
            // SAFETY: nothing else has it while this host is borrowed.
            *unsafe { there.as_mut() } = value;
        } else {
            let opened = RedisKeyWritable::open(self.ctx, &self.name(key));
            // One of another type goes first, with its deadline. (These commands refuse it before.)
            let _ = opened.delete().and_then(|_| opened.set_value(&JSON, value));
        }
        match deadline {
            Deadline::Keep => self.changed(key),
            Deadline::Clear => _ = self.set_deadline(key, None),
            Deadline::At(at) => _ = self.set_deadline(key, Some(at)),
        }
    }

    fn take_context(&mut self) -> Box<JsonTools> {
        contexts().take::<Json>()
    }

    fn give_context(&mut self, context: Box<JsonTools>) {
        contexts().give::<Json>(context);
    }
}
